"""Fetching a commit as soon as it is known: until its build is asked for, its files are often there already."""

import contextlib
import shutil
import tempfile
import time
from pathlib import Path

from cluster.builder.artifacts import ArtifactStore
from cluster.builder.errors import BuildFailed, BuildInterrupted
from cluster.builder.git import Source
from cluster.builder.log import BuildLog
from cluster.builder.repository import Refused
from cluster.builder.source import source_layer
from cluster.builder.step import Steps
from cluster.builder.workshop import Workshop
from cluster.fabric.networks import a_room
from cluster.sandbox.cell import Cell
from cluster.sandbox.confinement import connecting

_SECONDS = 120.0
_LOG_BYTES = 64 * 1024


async def prefetch(workshop: Workshop, store: ArtifactStore, project: str, source: Source) -> None:
    """Only a help: whatever goes wrong, the build will say it. `project` is its uid."""
    root = workshop.state / "prefetch"
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    # One of its own: another ref of the project may stand at the same commit, and be fetched at the same time.
    folder = Path(tempfile.mkdtemp(prefix=f"{source.commit[:12]}-", dir=root))
    log = BuildLog(folder / "log.ndjson", _LOG_BYTES)
    try:
        with contextlib.suppress(BuildFailed, BuildInterrupted, Refused):
            async with a_room(workshop.networks) as room:
                cell = Cell(room, confinement=connecting(room, ()))
                steps = Steps(workshop.machine, log, folder / "lock", time.monotonic() + _SECONDS, cell)
                await source_layer(workshop, store, steps, project, source, "", folder)
    finally:
        log.close()
        shutil.rmtree(folder, ignore_errors=True)
