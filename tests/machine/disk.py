"""The machine's own disk: what is written there is there again when it is booted again."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.machine.packages import Missing

_BYTES = 4 << 30
"""Of which only what is written takes room."""


def new_disk(path: Path) -> Path:
    """An empty file system in a file. Raises Missing."""
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        file.truncate(_BYTES)
    # Not everybody's PATH has the administrator's programs.
    program = shutil.which("mkfs.ext4", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        raise Missing("mkfs.ext4 is missing: install it, for example: sudo apt-get install e2fsprogs")
    done = subprocess.run([program, "-q", "-F", str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"`mkfs.ext4 {path}` failed: {done.stderr.strip()}")
    return path
