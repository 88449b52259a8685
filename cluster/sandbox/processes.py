"""Processes of a sandbox, ours or adopted: waiting for their end, signals, who holds a lock."""

import asyncio
import contextlib
import fcntl
import json
import os
import signal
from pathlib import Path

_SHELLS = frozenset({"sh", "dash", "bash", "ash"})


async def wait_end(pid: int) -> int | None:
    """Returns when the process is gone: its exit code (negative: the signal) if it was our child, else None."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return _collect(pid)
    try:
        await ended(watch)
    finally:
        os.close(watch)
    return _collect(pid)


async def ended(watch: int) -> None:
    """Returns when the process of this descriptor (a pidfd) is gone, and all that the kernel ends with it."""
    loop = asyncio.get_running_loop()
    gone: asyncio.Future[None] = loop.create_future()

    def on_end() -> None:
        if not gone.done():
            gone.set_result(None)

    loop.add_reader(watch, on_end)
    try:
        await gone
    finally:
        loop.remove_reader(watch)


def _collect(pid: int) -> int | None:
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return os.waitstatus_to_exitcode(status) if found else None


def send(pid: int, number: signal.Signals) -> bool:
    """False when there is no such process any more."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def children(pid: int) -> list[int]:
    """Direct children, those of every thread of it."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def programs(reaper: int) -> list[int]:
    """Which processes get a polite signal: what bubblewrap's pid 1 started, or, when that is a shell, what the shell
    runs: a shell would end at once and take everything else with it."""
    found: list[int] = []
    for child in children(reaper):
        below = children(child) if _name(child) in _SHELLS else []
        found += programs(child) if below else [child]
    return found


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def read_status(path: Path) -> dict[str, int]:
    """What bubblewrap wrote so far: `child-pid` (pid 1 inside, as seen here), at its end `exit-code`."""
    try:
        return parse_status(path.read_text())
    except OSError:
        return {}


def parse_status(text: str) -> dict[str, int]:
    """The same of what was read of it."""
    said: dict[str, int] = {}
    for line in text.splitlines(keepends=True):
        with contextlib.suppress(ValueError):
            said.update(json.loads(line) if line.endswith("\n") else {})
    return said


def take_lock(path: Path) -> int | None:
    """A descriptor with the exclusive lock, or None when a sandbox (or another agent) holds it. It is opened with
    O_CLOEXEC; `launch.spawn` passes it on."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def lock_free(path: Path) -> bool:
    """Nobody holds it, or there is no such file: it is not made by looking."""
    if not path.exists():
        return True
    try:
        descriptor = take_lock(path)
    except FileNotFoundError:
        return True
    if descriptor is None:
        return False
    os.close(descriptor)
    return True


def lock_holders(path: Path) -> list[int]:
    """Every process that has the lock's file open: looked for when bubblewrap's own word is missing."""
    wanted = path.stat()
    return [pid for pid in _all_pids() if _has_open(pid, wanted)]


def holds(pid: int, path: Path) -> bool:
    """Is this pid (still) the sandbox of that lock? Pids are used again; an open lock file is not."""
    try:
        return _has_open(pid, path.stat())
    except OSError:
        return False


def _all_pids() -> list[int]:
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and int(p.name) != os.getpid()]


def _has_open(pid: int, wanted: os.stat_result) -> bool:
    with contextlib.suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                found = entry.stat()
                if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                    return True
    return False
