"""Wakes up on every core, a thousand times a second, until its standard input ends. A program of its own, without a
package around it: `python beat.py LOCK`. Of several with one lock only one beats.

Whoever gives way has the core until the next tick of the kernel's clock (4 ms at 250 a second) when two others take
turns in the meantime: the scheduler sees what was used at a tick or when somebody wakes up, and not before."""

import contextlib
import fcntl
import os
import select
import signal
import sys
import time

_PERIOD_SECONDS = 0.001
_ASK_AGAIN_SECONDS = 1.0


def beat(core: int, parent: int) -> None:
    """On this core, as long as there is the one that started it."""
    # The core may have been taken from us meanwhile.
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {core})
        while os.getppid() == parent:
            time.sleep(_PERIOD_SECONDS)


def beat_everywhere(lock: str) -> None:
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    while not _taken(descriptor):
        if _ended(_ASK_AGAIN_SECONDS):
            return
    children = [_beating(core, os.getpid()) for core in sorted(os.sched_getaffinity(0))]
    while not _ended(None):
        pass
    # Not left to whoever would inherit them, which may be one that never looks.
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _beating(core: int, parent: int) -> int:
    """The process that does."""
    child = os.fork()
    if child == 0:
        beat(core, parent)
        os._exit(0)
    return child


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _ended(seconds: float | None) -> bool:
    """Within so many seconds; nobody writes there."""
    readable, _, _ = select.select([0], [], [], seconds)
    return bool(readable) and not os.read(0, 1024)


if __name__ == "__main__":
    beat_everywhere(sys.argv[1])
