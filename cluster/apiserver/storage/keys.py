"""Key files: made on first use, complete or absent, for the owner's eyes only."""

import os
from collections.abc import Callable
from pathlib import Path


def load_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    """What is in `path`; `make`'s answer is put there if nothing is."""
    if path.exists():
        return path.read_bytes()
    made = make()
    temporary = path.with_name(path.name + ".new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, made)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    temporary.replace(path)
    return made
