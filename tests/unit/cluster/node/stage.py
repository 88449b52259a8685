"""Runs a built release as an instance, without records: the agent's lower layers on real processes."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cluster.builder.build import Release
from cluster.fabric.networks import SharedNetwork
from cluster.node.folder import Folders, InstanceFolder, RunState
from cluster.node.health import until_ready
from cluster.node.logs import Logs
from cluster.node.process import Process
from cluster.node.view import Wanted, prepare
from crds.models.record import Metadata
from crds.models.workload import Workload, WorkloadSpec
from tests.unit.cluster.builder.bench import Bench


@dataclass
class Running:
    state: RunState
    folder: InstanceFolder
    process: Process


class Stage:
    """`start` answers when the instance is ready (or, when it is not served, at once)."""

    def __init__(self, root: Path):
        self.bench = Bench(root)
        self.folders = Folders(self.bench.workshop.state)
        self.logs = Logs(self.bench.workshop.state)
        self.networks = SharedNetwork()
        self.running: list[Running] = []

    async def start(
        self,
        release: Release,
        *,
        process: str = "web",
        variables: Mapping[str, str] | None = None,
        wait: bool = True,
        uid: str = "",
    ) -> Running:
        command = next(each.command for each in release.processes if each.name == process)
        workload = _workload(release, process, command)
        address = (await self.networks.attach()).address
        wanted = Wanted(workload, address, self.networks.listen_host, variables or {}, {})
        prepared = prepare(self.bench.workshop, self.bench.store, wanted)
        uid = uid or f"uid-{len(self.running)}-{os.getpid()}"
        folder = self.folders.of(uid)
        state = state_of(uid, process, address)
        folder.write(state)
        self.logs.open(state, folder)
        started = Process.start(folder, prepared.view, prepared.command, self.bench.workshop.machine)
        run = Running(state, folder, started)
        self.running.append(run)
        if wait:
            verdict = await until_ready(self.networks, address, "/", 20)
            assert verdict.ready, (verdict, folder.spools["stderr"].read_text())
        return run

    async def close(self) -> None:
        for run in self.running:
            left = Process.adopt(run.folder)
            if left:
                await left.kill()
            await asyncio.sleep(0)
            run.process.abandon()
        self.logs.close()


def state_of(uid: str, process: str, address: str) -> RunState:
    return RunState(
        uid=uid,
        namespace="acc-test",
        name=f"shop-abc-{process}-{uid}",
        project="shop",
        deploy="shop-abc",
        process=process,
        address=address,
        started_at="2026-01-01T00:00:00Z",
        served=process == "web",
        health_path="/",
        health_seconds=20,
        drain_seconds=1,
        grace_seconds=5,
        memory_bytes=1 << 30,
    )


def _workload(release: Release, process: str, command: str) -> Workload:
    spec = WorkloadSpec(
        project="shop",
        deploy="shop-abc",
        process=process,
        artifact=release.artifact,
        command=command,
        commit="c" * 40,
        served=process == "web",
    )
    return Workload(metadata=Metadata(name=f"shop-abc-{process}", namespace="acc-test"), spec=spec)
