"""The folders that outlive a release: DIR/volumes/<uid of the project>/<volume>, with a note beside them of whose they
are and whether they outlive the project too.

One writer: on another machine than this a volume would have to be held by one node at a time. The nodes of one
machine share the folder, so an instance finds its files on whichever of them it runs; the old release and the new one
see them at once while traffic moves, as two processes on one disk do."""

import contextlib
import logging
import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import orjson

from crds.models.project import Project

_log = logging.getLogger(__name__)
# No volume can have that name: those hold no dot.
_NOTE = "project.json"
_GONE = ".gone-"


@dataclass(frozen=True)
class Note:
    """Whose volumes they are, for whoever looks into a folder of a project that is gone."""

    namespace: str
    name: str
    deletion_policy: Literal["delete", "retain"]


@dataclass(frozen=True)
class Mounted:
    """`owner`: the project's uid (empty: no volumes); folders by the volumes' names."""

    owner: str
    folders: dict[str, Path]


NOTHING = Mounted("", {})


class Volumes:
    """All of this machine; several agents may work here at once."""

    def __init__(self, root: Path):
        self._root = root

    def provide(self, project: Project, names: Iterable[str], owner: int | None = None) -> Mounted:
        """Their folders, made when they are not there; by the project's uid, so that a later project of the same name
        never sees them. The note comes first: no folder is ever without one. `owner`: the user of this machine whose
        files they are (None: ours)."""
        own = self.of(project.uid)
        own.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.note(project)
        folders = {name: own / name for name in names}
        for folder in folders.values():
            folder.mkdir(exist_ok=True, mode=0o700)
            if owner is not None and folder.stat().st_uid != owner:
                _give(folder, owner)
        return Mounted(project.uid, folders)

    def of(self, project: str) -> Path:
        """Where those of the project with this uid are, or would be."""
        return self._root / project

    def note(self, project: Project) -> None:
        """Keep what the record says now, if the project has volumes here."""
        own = self.of(project.uid)
        wanted = Note(project.namespace, project.name, project.spec.deletion_policy)
        if not own.is_dir() or self.read(own) == wanted:
            return
        new = own / f".{_NOTE}"
        new.write_bytes(orjson.dumps(asdict(wanted)))
        new.rename(own / _NOTE)

    def read(self, own: Path) -> Note | None:
        try:
            return Note(**orjson.loads((own / _NOTE).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def all(self) -> list[Path]:
        """A folder for each project that has, or had, volumes."""
        return [path for path in self._root.iterdir() if path.is_dir()] if self._root.is_dir() else []

    def sweep(self, found: Iterable[Path], projects: Iterable[Project]) -> None:
        """`found` was listed before the records. Notes are brought up to date; what is left of a project that is gone
        is removed, if its note says so: without one, or when it cannot be read, nobody knows, and files stay."""
        known = {project.uid: project for project in projects}
        for own in found:
            if own.name in known:
                self.note(known[own.name])
            elif own.name.startswith(_GONE):
                _remove(own)
            elif (note := self.read(own)) and note.deletion_policy == "delete":
                _log.info("removing the volumes of %s/%s: the project is gone", note.namespace, note.name)
                doomed = own.with_name(f"{_GONE}{own.name}")
                # Another agent of this machine may be at it too.
                with contextlib.suppress(FileNotFoundError):
                    own.rename(doomed)
                _remove(doomed)


def _give(folder: Path, owner: int) -> None:
    """With all that an earlier user left in it; the folder itself last, so that a crash in between is made good."""
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(parent) / name, owner, owner, follow_symlinks=False)
    os.chown(folder, owner, owner)


def _remove(folder: Path) -> None:
    """Also what its owner made unreadable for itself."""
    for path in folder.glob("**/"):
        with contextlib.suppress(OSError):
            path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
