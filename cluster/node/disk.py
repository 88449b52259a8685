"""How full the disk is on which everything of the installation is (builds stop long before the records' store would),
and what of it is taken by whom."""

import asyncio
import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

MIB = 1024**2
GIB = 1024**3
LOW_BYTES = 1 * GIB
"""With less than this free no build begins."""
DANGER_BYTES = GIB // 2
"""With less than this free those that run are ended."""
REASON = "DiskFull"
_LOOK_SECONDS = 0.5


def free_bytes(path: Path) -> int:
    """What somebody who is not root may still write."""
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def refusal(free: int, needed: int) -> str | None:
    """Why there is no building; None: there is room."""
    if free >= needed:
        return None
    return (
        f"Only {free / GIB:.2f} GiB are free on the platform's disk, and builds leave {needed / GIB:g} GiB: "
        "the operator has to make room (old projects, logs), then deploy again."
    )


async def until_low(path: Path, needed: int = DANGER_BYTES) -> str:
    """Why what writes there is to end; no event tells when a disk fills, and a look is one call."""
    while (found := refusal(free_bytes(path), needed)) is None:
        await asyncio.sleep(_LOOK_SECONDS)
    return found


def used_bytes(folders: Iterable[Path]) -> int:
    """What these folders take on the disk: sparse files what is there of them, a file with several names once. What
    cannot be read, or goes meanwhile, counts nothing; links are not followed."""
    total = 0
    seen: set[tuple[int, int]] = set()
    left = [os.fspath(folder) for folder in folders]
    while left:
        with contextlib.suppress(OSError), os.scandir(left.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    found = entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    elif found.st_nlink > 1 and (found.st_dev, found.st_ino) in seen:
                        continue
                    elif found.st_nlink > 1:
                        seen.add((found.st_dev, found.st_ino))
                    total += found.st_blocks * 512
    return total
