"""Download caches that builds of all projects on a node share: only steps that run nobody's code may write there.

One is dropped as a whole when it is too large or was not used for long, never file by file: what installers keep in
it hangs together, and a package with holes would be installed with them."""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cluster.builder.ownership import GONE, own_cache


@dataclass(frozen=True)
class CacheLimits:
    """`bytes`: of one cache; `idle_seconds`: since a build last used it."""

    bytes: int = 4 << 30
    idle_seconds: float = 30 * 86400


@contextlib.contextmanager
def common_cache(state: Path, what: str, owner: int | None = None) -> Iterator[Path]:
    """The folder of that cache, which nobody drops meanwhile; `owner`: whose (None: ours)."""
    folder = _root(state) / what
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _lock_file(folder).open("w") as lock:
        # Whoever drops it has the lock for one rename.
        fcntl.flock(lock, fcntl.LOCK_SH)
        os.utime(lock.fileno())
        yield own_cache(folder, owner)


def trim_common_caches(state: Path, now: float, limits: CacheLimits | None = None) -> list[str]:
    """Drop those that outlived their use; their names. One that a build works with stays for this time."""
    root = _root(state)
    found = [path for path in root.iterdir() if path.is_dir()] if root.is_dir() else []
    dropped = [path.name for path in found if _outlived(path, now, limits or CacheLimits()) and _put_away(path)]
    for path in root.glob(f"{GONE}*"):
        shutil.rmtree(path, ignore_errors=True)
    return dropped


def _root(state: Path) -> Path:
    return state / "caches-common"


def _lock_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _outlived(folder: Path, now: float, limits: CacheLimits) -> bool:
    if folder.name.startswith(GONE):
        return False
    lock = _lock_file(folder)
    last = (lock if lock.exists() else folder).stat().st_mtime
    return now - last > limits.idle_seconds or _bytes(folder) > limits.bytes


def _put_away(folder: Path) -> bool:
    with _lock_file(folder).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        folder.rename(folder.with_name(f"{GONE}{folder.name}-{os.getpid()}"))
    return True


def _bytes(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.lstat().st_blocks * 512
    return total
