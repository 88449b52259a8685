"""What a hostile tenant tries with processes that are not its own: by every number there may be.

Nothing here would do harm where a wall is missing (the signal is one that nobody notices by default) but to the bait,
which is made for it."""

import contextlib
import ctypes
import errno
import os
import signal

_SIGNAL = signal.SIGURG
_ATTACH, _SEIZE = 16, 0x4206
_libc = ctypes.CDLL(None, use_errno=True)


def succeeds(attempt):
    try:
        attempt()
    except (OSError, AttributeError):
        return False
    return True


def call(name, *arguments):
    return getattr(_libc, name)(*arguments) == 0


def _read(pid):
    """process_vm_readv; an address where nothing is tells as well that one may."""
    room = ctypes.create_string_buffer(8)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(room), 8)
    done = _libc.process_vm_readv(pid, vector, 1, vector, 1, 0)
    return done >= 0 or ctypes.get_errno() == errno.EFAULT


def _open(pid):
    def attempt():
        os.close(os.pidfd_open(pid))

    return succeeds(attempt)


ATTEMPTS = {
    "look": lambda pid: succeeds(lambda: os.kill(pid, 0)),
    "signal": lambda pid: succeeds(lambda: os.kill(pid, _SIGNAL)),
    # rt_sigqueueinfo, and tgkill, which only names a thread.
    "queue": lambda pid: call("sigqueue", pid, int(_SIGNAL), None),
    "thread": lambda pid: call("tgkill", pid, pid, int(_SIGNAL)),
    "open": _open,
    "seize": lambda pid: call("ptrace", _SEIZE, pid, None, None),
    "read": _read,
}
AT_THE_BAIT = {
    "attach": lambda pid: call("ptrace", _ATTACH, pid, None, None),
    "kill": lambda pid: succeeds(lambda: os.kill(pid, signal.SIGKILL)),
}


def _own(pid):
    """Threads are not listed there, and are there all the same."""
    return os.path.exists("/proc/%d" % pid)


def _reached(attempts, pid):
    """Twice: one of our own may have come and gone between attempt and look."""
    return [[kind, pid] for kind, attempt in attempts.items() if attempt(pid) and not _own(pid) and attempt(pid)]


def sweep(below, bait):
    """Every number, the bait's again with what would harm others; last all at once, of which only the bait can tell."""
    reached = [each for pid in range(1, below) for each in _reached(ATTEMPTS, pid)]
    if bait and not _own(bait):
        reached += [[kind, bait] for kind, attempt in AT_THE_BAIT.items() if attempt(bait)]
        with contextlib.suppress(OSError):
            os.kill(-1, _SIGNAL)
    return reached


def others(bait):
    """All that is seen belongs to this sandbox: its own few, and not the bait."""
    seen = [pid for pid in os.listdir("/proc") if pid.isdigit()]
    return len(seen) > 60 or any(_is(pid, bait) for pid in seen)


def _is(pid, bait):
    with contextlib.suppress(OSError), open("/proc/%s/cmdline" % pid, "rb") as file:
        return bait.encode() in file.read()
    return False
