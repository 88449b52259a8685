"""The artifact store: folders named by the SHA-256 of their manifest, made whole by one rename, never changed after.

A manifest says what the folder is. A `release` holds no files of its own: it names the layers (a commit's files, an
installed environment) that are mounted together, so a redeploy shares what did not change.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from cluster.builder.errors import BuildFailed

Manifest = dict[str, Any]
_PREFIX = "sha256:"
_YOUNG_SECONDS = 3600


def digest_of(manifest: Manifest) -> str:
    return _PREFIX + hashlib.sha256(encode(manifest)).hexdigest()


def encode(manifest: Manifest) -> bytes:
    return orjson.dumps(manifest, option=orjson.OPT_SORT_KEYS)


class ArtifactStore:
    """One folder, shared by the nodes of a machine. All paths inside belong to the store."""

    def __init__(self, root: Path):
        self.root = root
        root.mkdir(parents=True, exist_ok=True, mode=0o700)

    def path(self, digest: str) -> Path:
        """Raises ValueError when it is none of our digests."""
        name = digest.removeprefix(_PREFIX)
        if not digest.startswith(_PREFIX) or len(name) != 64 or not set(name) <= set("0123456789abcdef"):
            raise ValueError(f"{digest[:80]!r} is not an artifact of this runner.")
        return self.root / name

    def find(self, manifest: Manifest) -> str | None:
        """The digest, if it is there; it then counts as young again, so that no sweep takes it away now."""
        digest = digest_of(manifest)
        try:
            os.utime(self.path(digest))
        except FileNotFoundError:
            return None
        return digest

    def read(self, digest: str) -> Manifest | None:
        try:
            data = (self.path(digest) / "manifest.json").read_bytes()
        except FileNotFoundError:
            return None
        manifest: Manifest = orjson.loads(data)
        return manifest

    def publish(self, manifest: Manifest, content: Mapping[str, Path] | None = None) -> str:
        """Move the content in under these names. When another was quicker, its copy stands. Raises BuildFailed for a
        link: whoever mounts a layer would mount what it leads to, anywhere on this machine."""
        digest = digest_of(manifest)
        if any(source.is_symlink() for source in (content or {}).values()):
            raise BuildFailed("UnsafeSymlink", "The build left a symbolic link in place of a folder of its own.")
        staged = Path(tempfile.mkdtemp(prefix=".new-", dir=self.root))
        for name, source in (content or {}).items():
            source.rename(staged / name)
        (staged / "manifest.json").write_bytes(encode(manifest))
        try:
            staged.rename(self.path(digest))
        except OSError:
            if not self.path(digest).is_dir():
                raise
            shutil.rmtree(staged, ignore_errors=True)
            self.find(manifest)
        return digest

    def sweep(self, named: Iterable[str], now: float | None = None) -> int:
        """Remove what neither these digests nor their layers name, unless it is young; how many went.

        One sweep at a time on the machine; another's answers 0."""
        now = time.time() if now is None else now
        with (self.root / ".sweep.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return 0
            kept = self._with_layers(named)
            doomed = [entry for entry in self.root.iterdir() if entry.is_dir() and entry.name not in kept]
            return sum(self._remove_old(entry, now) for entry in doomed)

    def folders(self, digests: Iterable[str]) -> set[Path]:
        """Of these and of their layers, as far as they are there."""
        return {path for name in self._with_layers(digests) if (path := self.root / name).is_dir()}

    def _with_layers(self, named: Iterable[str]) -> set[str]:
        kept: set[str] = set()
        for digest in named:
            if not digest.startswith(_PREFIX):
                continue
            kept.add(digest.removeprefix(_PREFIX))
            manifest = self.read(digest) or {}
            kept |= {mount["layer"].removeprefix(_PREFIX) for mount in manifest.get("mounts", ())}
        return kept

    def _remove_old(self, entry: Path, now: float) -> bool:
        try:
            if now - entry.stat().st_mtime < _YOUNG_SECONDS:
                return False
            doomed = entry.with_name(f".gone-{entry.name}")
            entry.rename(doomed)
        except OSError:
            return False
        shutil.rmtree(doomed, ignore_errors=True)
        return True
