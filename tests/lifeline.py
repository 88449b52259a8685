"""What tests start ends with them, also when they are killed and can end nothing themselves."""

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)
_reading, _writing = os.pipe()

STDIN = _reading
"""For a child that begins with `WATCH`: nobody writes to it, and it ends when this process does, however it ends."""
WATCH = """
import os, threading
threading.Thread(target=lambda: os.read(0, 1) or os._exit(1), daemon=True).start()
"""


def end_with_parent() -> None:
    """For a child of the main thread, before it becomes what it is to be: SIGTERM comes when that thread has gone.
    What the child forks does not inherit it."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
