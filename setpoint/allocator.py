"""What becomes of memory that is no longer needed: in this process, and in all that are forked from it."""

import contextlib
import ctypes
import gc
from pathlib import Path

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


def give_back_memory() -> None:
    """What is free goes back to the system."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


# Code itself is never written to, so it may be let go whoever else uses it. What stands beside it may be, so the kernel
# has to look.
_ADVICE = {"r-xp": 4, "r--p": 21}  # MADV_DONTNEED, MADV_PAGEOUT


def give_back_code() -> None:
    """The code of libraries that was needed once, to import them: it comes from the file again should it be needed.
    (A kernel that does not know this, or files of others: nothing changes.)"""
    with contextlib.suppress(OSError, AttributeError):
        madvise = ctypes.CDLL(None).madvise
        madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        for line in Path("/proc/self/maps").read_text().splitlines():
            span, mode, *_, name = line.split(maxsplit=5)
            if name.startswith("/") and mode in _ADVICE:
                start, end = (int(bound, 16) for bound in span.split("-"))
                madvise(start, end - start, _ADVICE[mode])
