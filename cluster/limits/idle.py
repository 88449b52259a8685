"""Whether a group runs only when nobody else wants to: one file, the same in both versions. The kernel compares a group
with the groups and processes beside it, so all groups of a node stand directly beside the platform.

The file is there since Linux 5.15, but until 6.6 the scheduler let whoever wakes up have the core anyway, and by its
code it holds a turn against who gives way as if it had taken hundreds, so that its share would be late afterwards."""

import contextlib
import os
import re
from pathlib import Path

_FILE = "cpu.idle"
_SINCE = (6, 6)


def gives_way(release: str) -> bool:
    """Does anybody on a kernel of this release?"""
    major, minor = (int(part) for part in re.findall(r"\d+", release)[:2])
    return (major, minor) >= _SINCE


def set_idle(group: Path) -> bool:
    """False: not on older kernels; and the group may be gone already."""
    if gives_way(os.uname().release):
        with contextlib.suppress(FileNotFoundError):
            _write(group / _FILE, "1")
            return True
    return False


def end_idle(group: Path) -> None:
    """Its share is the kernel's default afterwards, and could not be written before."""
    with contextlib.suppress(FileNotFoundError):
        _write(group / _FILE, "0")


def _write(file: Path, value: str) -> None:
    """Never makes the file, as a folder that only looks like a group would let us."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)
