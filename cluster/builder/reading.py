"""Reading files that a step wrote, or that came out of a repository: a link could lead anywhere on this machine."""

import os
import stat
from pathlib import Path


def read_text(path: Path, most: int) -> str | None:
    data = read_file(path, most)
    return None if data is None else data.decode(errors="replace")


def read_file(path: Path, most: int) -> bytes | None:
    """The beginning of a regular file; None for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
