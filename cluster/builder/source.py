"""The layer that holds a commit's files, and what detection may read of it without following anybody's link."""

import asyncio
import contextlib
import shutil
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import orjson

from cluster.builder.artifacts import ArtifactStore, Manifest
from cluster.builder.errors import BuildFailed
from cluster.builder.git import Exported, Source, check_links, export, export_branch
from cluster.builder.reading import read_text
from cluster.builder.step import Steps
from cluster.builder.workshop import Workshop
from planning.inspection import READ, Inspection, most_bytes

_MOST_FILES = 20_000
_fetching: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()


@dataclass(frozen=True)
class SourceLayer:
    """`folder` is the project's folder inside `tree` (they differ when the project has a path)."""

    digest: str
    tree: Path
    folder: Path
    inspection: Inspection


async def source_layer(
    workshop: Workshop, store: ArtifactStore, steps: Steps, project: str, source: Source, path: str, work: Path
) -> SourceLayer:
    """The commit's files as a layer: fetched and written unless the store has them. `project` is its uid."""
    manifest: Manifest = {"kind": "source", "project": project, "commit": source.commit}
    # One at a time: they share the project's mirror, and the second finds what the first has brought.
    async with _fetching.setdefault(project, asyncio.Lock()):
        digest = store.find(manifest)
        if digest is None:
            digest = await _fetch(workshop, store, steps, project, source, manifest, work)
        else:
            steps.log.system(f"Commit {source.commit[:12]} is here already")
    tree = store.path(digest) / "tree"
    folder = project_folder(tree, path)
    noted = orjson.loads((store.path(digest) / "seen.json").read_bytes())
    return SourceLayer(digest, tree, folder, look(folder, path, source.commit, noted["message"], noted["files"]))


async def branch_layer(
    workshop: Workshop,
    store: ArtifactStore,
    steps: Steps,
    project: str,
    address: str,
    branch: str,
    work: Path,
    tell: Callable[[str], None],
) -> None:
    """The layer of the commit that a branch (empty: HEAD) is at; `tell` gets that commit as soon as it is known."""
    found: list[str] = []

    def know(commit: str) -> None:
        found.append(commit)
        tell(commit)

    async with _fetching.setdefault(project, asyncio.Lock()):
        mirror = workshop.cache(project, "git")
        exported = await export_branch(workshop, steps, address, branch, mirror, work, know)
        _publish(store, {"kind": "source", "project": project, "commit": found[0]}, exported, work)


async def _fetch(
    workshop: Workshop,
    store: ArtifactStore,
    steps: Steps,
    project: str,
    source: Source,
    manifest: Manifest,
    work: Path,
) -> str:
    with steps.timed(f"Fetching commit {source.commit[:12]}"):
        exported = await export(workshop, steps, source, workshop.cache(project, "git"), work)
    return _publish(store, manifest, exported, work)


def _publish(store: ArtifactStore, manifest: Manifest, exported: Exported, work: Path) -> str:
    check_links(exported)
    _make_mount_points(exported)
    return store.publish(manifest, {"tree": exported.tree, "seen.json": _note(exported, work)})


def _note(exported: Exported, work: Path) -> Path:
    note = work / "seen.json"
    files = list(exported.files[:_MOST_FILES])
    note.write_bytes(orjson.dumps({"message": exported.message, "files": files}))
    return note


def _make_mount_points(exported: Exported) -> None:
    """Beside each package.json an empty node_modules, on which the installed packages are mounted."""
    for name in exported.files:
        if name == "package.json" or name.endswith("/package.json"):
            place = (exported.tree / name).parent / "node_modules"
            with contextlib.suppress(OSError):
                place.mkdir(exist_ok=True)


def project_folder(tree: Path, path: str) -> Path:
    """Raises BuildFailed when the project's path is no real folder of this commit."""
    folder = tree
    for part in path.split("/") if path else ():
        folder = folder / part
        if folder.is_symlink() or not folder.is_dir():
            raise BuildFailed("PathNotFound", f"The commit has no folder {path!r}: check the project's path.")
    return folder


def look(folder: Path, path: str, commit: str, message: str, files: list[str]) -> Inspection:
    prefix = f"{path}/" if path else ""
    below = tuple(name.removeprefix(prefix) for name in files if name.startswith(prefix))
    texts = {name: text for name in READ if (text := read_text(folder / name, most_bytes(name))) is not None}
    return Inspection(commit, message, below, texts)


def copy_tree(source: Path, target: Path) -> None:
    """Links are copied as links."""
    shutil.copytree(source, target, symlinks=True)
