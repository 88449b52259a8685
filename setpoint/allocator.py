"""How the C library's allocator keeps memory that is free: of this process, and of all that are forked from it."""

import contextlib
import ctypes

# <malloc.h> of glibc; another C library may know neither the function nor the numbers, and then nothing changes.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_LARGE = 64 * 1024


def give_back_early() -> None:
    """Large blocks (a connection's buffers, above all) are mapped alone and go back to the system when they are freed,
    instead of leaving holes; and threads share one arena."""
    with contextlib.suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, _LARGE)
        mallopt(_M_TRIM_THRESHOLD, 2 * _LARGE)
        mallopt(_M_ARENA_MAX, 1)
