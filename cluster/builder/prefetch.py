"""Fetching as soon as there is something to fetch: until its build is asked for, a commit's files are often there."""

import contextlib
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from cluster.builder.artifacts import ArtifactStore
from cluster.builder.errors import BuildFailed, BuildInterrupted
from cluster.builder.git import Source
from cluster.builder.log import BuildLog
from cluster.builder.place import a_place
from cluster.builder.repository import Refused
from cluster.builder.source import branch_layer, source_layer
from cluster.builder.step import Steps
from cluster.builder.workshop import Workshop

_SECONDS = 120.0
_LOG_BYTES = 64 * 1024


@dataclass(frozen=True)
class Prefetch:
    """For one project, by its record's uid. Only a help: whatever goes wrong, whoever needs the files will say it.
    `user`: the one that git runs as (None: our own)."""

    workshop: Workshop
    store: ArtifactStore
    project: str
    user: int | None = None

    async def commit(self, source: Source) -> None:
        async with self._errand() as (steps, folder):
            await source_layer(self.workshop, self.store, steps, self.project, source, "", folder)

    async def branch(self, address: str, branch: str, tell: Callable[[str], None]) -> None:
        """`tell` gets the commit that the branch (empty: HEAD) is at, before its files are here. One connection does
        for both."""
        async with self._errand() as (steps, folder):
            await branch_layer(self.workshop, self.store, steps, self.project, address, branch, folder, tell)

    @contextlib.asynccontextmanager
    async def _errand(self) -> AsyncIterator[tuple[Steps, Path]]:
        root = self.workshop.state / "prefetch"
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        # One of its own: another ref of the project may stand at the same commit, and be fetched at the same time.
        folder = Path(tempfile.mkdtemp(prefix="fetch-", dir=root))
        log = BuildLog(folder / "log.ndjson", _LOG_BYTES)
        try:
            with contextlib.suppress(BuildFailed, BuildInterrupted, Refused):
                async with a_place(self.workshop.networks) as cell:
                    deadline = time.monotonic() + _SECONDS
                    yield Steps(self.workshop.machine, log, folder / "lock", deadline, cell, self.user), folder
        finally:
            log.close()
            shutil.rmtree(folder, ignore_errors=True)
