"""Whose the folders are that steps write to. Steps run as a user that is not ours when ours is root (see
cluster/sandbox/identity.py); `owner` None means our own everywhere here."""

import os
import uuid
from pathlib import Path

GONE = ".gone-"
"""How the name begins of what the next sweep removes."""


def own_folder(folder: Path, owner: int | None, mode: int = 0o700) -> Path:
    """A new one; a folder of ours must be above it."""
    folder.mkdir(mode=mode)
    _give(folder, owner)
    return folder


def own_cache(folder: Path, owner: int | None) -> Path:
    """The one that is there, or a new one. What somebody else has filled is put away and not handed over: its files
    may have other names (hard links), in a release or wherever, under which they would be handed over, too."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid != _number(owner):
        if any(folder.iterdir()):
            folder.rename(folder.with_name(f"{GONE}{folder.name}-{uuid.uuid4().hex}"))
            folder.mkdir(mode=0o700)
        _give(folder, owner)
    return folder


def hand_over(tree: Path, owner: int | None) -> None:
    """What we wrote ourselves just now, to somebody who had no hand in it. Links are handed over, not followed."""
    if owner is None:
        return
    for _, folders, files, descriptor in os.fwalk(tree):
        for name in (*folders, *files):
            os.chown(name, owner, owner, dir_fd=descriptor, follow_symlinks=False)
    _give(tree, owner)


def owner_of(path: Path) -> int | None:
    found = path.stat().st_uid
    return None if found == os.geteuid() else found


def _number(owner: int | None) -> int:
    return os.geteuid() if owner is None else owner


def _give(folder: Path, owner: int | None) -> None:
    if owner is not None:
        os.chown(folder, owner, owner, follow_symlinks=False)
