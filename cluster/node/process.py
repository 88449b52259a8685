"""One run of an instance as processes: started or found again, waited for, asked to end, ended."""

import asyncio
import os
import signal

from cluster.limits.removal import remove_patiently
from cluster.node.folder import InstanceFolder
from cluster.sandbox.cell import OPEN, Cell
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.processes import programs, send, take_lock, wait_end
from cluster.sandbox.view import Machine, View

_LAST_WORD_SECONDS = 0.3


class StillRunning(Exception):
    """The run before has not ended: its lock is held."""


class Process:
    """`wait` may be called by several. It leaves its `cell` when it has ended."""

    def __init__(self, folder: InstanceFolder, outer: int | None, cell: Cell = OPEN):
        self._folder = folder
        self._outer = outer
        self.ran_out = False
        self._cell = cell
        self._end: asyncio.Task[int | None] = asyncio.ensure_future(self._wait())

    @classmethod
    def start(
        cls, folder: InstanceFolder, view: View, command: list[str], machine: Machine, cell: Cell = OPEN
    ) -> "Process":
        """Raises StillRunning, OSError; the cell is still the caller's then. The state must be on disk before: whoever
        comes next finds it there."""
        lock = take_lock(folder.lock)
        if lock is None:
            raise StillRunning
        opened = [lock]
        try:
            status = folder.open_status()
            opened.append(status)
            out, err = folder.open_outputs(cell.uid)
            opened += [out, err]
            return cls(folder, spawn(view, command, machine, Channels(out, err, status, lock), cell), cell)
        finally:
            for descriptor in opened:
                os.close(descriptor)

    @classmethod
    def adopt(cls, folder: InstanceFolder, cell: Cell = OPEN) -> "Process | None":
        """The run that an earlier agent started, if it lives."""
        return cls(folder, None, cell) if folder.alive() else None

    async def wait(self) -> int | None:
        """Its exit code once it is over (128 + n: killed by signal n); None when nobody knows."""
        return await asyncio.shield(self._end)

    async def _wait(self) -> int | None:
        try:
            return await self._ended()
        finally:
            self.ran_out = self._cell.group is not None and self._cell.group.ran_out()
            self._cell.leave()
            if self._cell.group is not None:
                await remove_patiently(self._cell.group)

    async def _ended(self) -> int | None:
        code = await wait_end(self._outer) if self._outer else None
        # Without its outer process a sandbox goes on; the lock tells.
        while (reaper := self._folder.reaper()) is not None:
            await wait_end(reaper)
        if code is not None and code >= 0:
            return code
        return await self._last_word()

    async def _last_word(self) -> int | None:
        loop = asyncio.get_running_loop()
        end = loop.time() + _LAST_WORD_SECONDS
        while (code := self._folder.exit_code()) is None and loop.time() < end:
            await asyncio.sleep(0.01)
        return code

    async def stop(self, grace_seconds: float) -> None:
        """Politely, then for sure; returns when nothing of it is left."""
        for pid in programs(self._folder.reaper() or 0):
            send(pid, signal.SIGTERM)
        try:
            await asyncio.wait_for(self.wait(), grace_seconds)
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        """The kernel ends everything inside with the sandbox's pid 1."""
        if self._outer and self._folder.reaper() is None:
            send(self._outer, signal.SIGKILL)
        while (reaper := self._folder.reaper()) is not None:
            send(reaper, signal.SIGKILL)
            await wait_end(reaper)
        await self.wait()

    def abandon(self) -> None:
        """The agent ends; the process does not."""
        self._end.cancel()

    @property
    def reaper(self) -> int | None:
        return self._folder.reaper()
