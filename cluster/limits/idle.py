"""Whether a group runs only when nobody else wants to: one file, the same in both versions since Linux 5.15. The kernel
compares a group with the groups and processes beside it, so all groups of a node stand directly beside the platform."""

import contextlib
import os
from pathlib import Path

_FILE = "cpu.idle"


def set_idle(group: Path) -> None:
    """Older kernels know no such thing, and the group may be gone already."""
    with contextlib.suppress(FileNotFoundError):
        _write(group / _FILE, "1")


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
