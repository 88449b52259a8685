"""One sandboxed step of a build: its output into the log, within the build's time, gone with its process tree."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Self

from cluster.builder.errors import BuildFailed, BuildInterrupted
from cluster.builder.log import BuildLog, OutputLimit, Stream
from cluster.lines import LineSplitter
from cluster.sandbox.cell import OPEN, Cell
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.processes import ended, lock_free, lock_holders, parse_status, send, take_lock, wait_end
from cluster.sandbox.view import Machine, View

Sink = Callable[[Stream, str], None]
_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL, None)


FindCell = Callable[[], Awaitable[Cell]]


async def in_the_open() -> Cell:
    return OPEN


class Steps:
    """Runs the steps of one build, one after another; `lock` is held by whatever step runs. `cell`: asked for the one
    that all of them are put into, when a step begins. `user`: the one that they run as; None: our own."""

    def __init__(
        self,
        machine: Machine,
        log: BuildLog,
        lock: Path,
        deadline: float,
        cell: FindCell = in_the_open,
        user: int | None = None,
    ):
        self._machine = machine
        self.log = log
        self._lock = lock
        self._deadline = deadline
        self._cell = cell
        self.user = user

    def as_user(self, user: int | None) -> Self:
        """The same steps, run as another one."""
        return type(self)(self._machine, self.log, self._lock, self._deadline, self._cell, user)

    @contextlib.contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """A line of ours before, and one after with how long it took."""
        self.log.system(what)
        begun = time.monotonic()
        yield
        self.log.system(f"Done in {time.monotonic() - begun:.2f} s")

    async def run(self, view: View, command: list[str], connect: Iterable[int] = (), sink: Sink | None = None) -> int:
        """The step's exit code. `connect`: TCP ports that it reaches beside those of all steps. `sink` gets its output
        instead of the log. Raises BuildFailed (time, output) and BuildInterrupted (killed by somebody else)."""
        try:
            async with asyncio.timeout(self._deadline - time.monotonic()):
                cell = replace(await self._cell(), uid=self.user).reaching(connect)
                code = await run_sandboxed(view, command, self._machine, sink or self.log.output, self._lock, cell)
        except TimeoutError:
            raise BuildFailed("BuildTimeout", "The build took longer than its time limit.") from None
        except OutputLimit:
            raise BuildFailed("OutputLimit", "The build wrote more to its log than is allowed.") from None
        if code is None or code in _KILLED:
            raise BuildInterrupted("A process of the build was killed from outside.")
        return code


async def run_sandboxed(
    view: View,
    command: list[str],
    machine: Machine,
    sink: Sink,
    lock: Path | None = None,
    cell: Cell = OPEN,
) -> int | None:
    """Run to its end; both streams go to the sink line by line. Whatever happens, nothing of it is left running: who
    reads what it wrote then reads what stays so."""
    held = take_lock(lock) if lock else None
    if lock and held is None:
        raise BuildInterrupted("An earlier attempt of the build has not ended yet.")
    out, out_end = os.pipe()
    err, err_end = os.pipe()
    status, status_end = os.pipe()
    try:
        if cell.uid is not None:
            # A program may open its output anew by name (/dev/stderr), which is its own right only.
            for end in (out_end, err_end):
                os.fchown(end, cell.uid, cell.uid)
        outer = spawn(view, command, machine, Channels(out_end, err_end, status_end, held), cell)
    finally:
        for descriptor in (out_end, err_end, status_end, held):
            if descriptor is not None:
                os.close(descriptor)
    copies = [asyncio.ensure_future(_copy(out, "stdout", sink)), asyncio.ensure_future(_copy(err, "stderr", sink))]
    gone = asyncio.ensure_future(_until_gone(status))
    try:
        await asyncio.gather(*copies)
        return await wait_end(outer)
    finally:
        # Its pid 1 ends with it, and the kernel ends everything below that.
        send(outer, signal.SIGKILL)
        await wait_end(outer)
        await asyncio.gather(*copies, gone, return_exceptions=True)
        if lock:
            await _released(lock)


async def _until_gone(status: int) -> None:
    """Until the sandbox's pid 1 is, and with it all of the sandbox. The outer process ends before, and so does the
    lock: in a test hundreds of processes were seen to live on for milliseconds. `status`: a pipe of what bubblewrap
    says; pid 1 does nothing before it is named there, and is watched from then on, as numbers are used again."""
    watch: int | None = None
    said = b""
    try:
        async for data in _chunks(status):
            said += data
            pid = parse_status(said.decode()).get("child-pid")
            if pid is not None and watch is None:
                with contextlib.suppress(ProcessLookupError):
                    watch = os.pidfd_open(pid)
        if watch is not None:
            await ended(watch)
    finally:
        if watch is not None:
            os.close(watch)


async def _released(lock: Path) -> None:
    """One that was killed before it was named may still have it."""
    looks = 0
    while not lock_free(lock):
        looks += 1
        if looks % 500 == 0:
            await end_leftovers(lock)
        await asyncio.sleep(0.002)


async def _copy(descriptor: int, stream: Stream, sink: Sink) -> None:
    splitter = LineSplitter()
    async for data in _chunks(descriptor):
        for line, _ in splitter.feed(data):
            sink(stream, line)
    for line, _ in splitter.flush():
        sink(stream, line)


async def _chunks(descriptor: int) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=256 * 1024)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_read_pipe(lambda: protocol, os.fdopen(descriptor, "rb", buffering=0))
    try:
        while data := await reader.read(64 * 1024):
            yield data
    finally:
        transport.close()


async def end_leftovers(lock: Path) -> None:
    """Kill whatever holds it: an earlier agent left it of a build. Returns when nothing of it is left."""
    while not lock_free(lock):
        left = lock_holders(lock)
        for pid in left:
            send(pid, signal.SIGKILL)
        for pid in left:
            await wait_end(pid)
        await asyncio.sleep(0.002)
