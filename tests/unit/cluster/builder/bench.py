"""A workshop in a folder, and one call that builds in it."""

import ipaddress
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import uv

from cluster.builder.artifacts import ArtifactStore
from cluster.builder.build import Order, Release, build
from cluster.builder.git import Source
from cluster.builder.log import BuildLog
from cluster.builder.step import Steps
from cluster.builder.workshop import BuildLimits, Workshop
from cluster.sandbox.machine import this_machine


class Bench:
    """Builds with an order of its own; `lines` is what the log of the last build said. `downloader`: see Workshop."""

    def __init__(self, root: Path, limits: BuildLimits | None = None, downloader: int | None = None):
        self.workshop = Workshop(
            state=root / "node",
            artifacts=root / "artifacts",
            tools=root / "tools",
            python=Path(os.path.realpath(sys.executable)),
            uv=Path(uv.find_uv_bin()),
            machine=this_machine(),
            allow=(ipaddress.ip_network("127.0.0.0/8"),),
            limits=limits or BuildLimits(),
            downloader=downloader,
        )
        self.store = ArtifactStore(self.workshop.artifacts)
        self.folder = self.workshop.build_folder("acc-test", "build")
        self.count = 0

    async def build(
        self,
        repository: str,
        commit: str,
        *,
        project: str = "p1",
        runtime: str = "",
        path: str = "",
        variables: Mapping[str, str] | None = None,
        seconds: float = 120,
        uid: int | None = None,
    ) -> Release:
        self.count += 1
        folder = self.folder.with_name(f"build-{self.count}")
        self.log_path = folder / "log.ndjson"
        log = BuildLog(self.log_path, self.workshop.limits.output_bytes, (variables or {}).values())
        steps = Steps(self.workshop.machine, log, folder / "lock", time.monotonic() + seconds, user=uid)
        order = Order(project, Source(repository, commit, "main"), path, runtime, variables or {})
        try:
            return await build(self.workshop, self.store, steps, order, folder / "work")
        finally:
            log.close()

    def lines(self) -> list[dict[str, Any]]:
        return [orjson.loads(line) for line in self.log_path.read_bytes().splitlines()]

    def text(self) -> str:
        return "\n".join(line["line"] for line in self.lines())
