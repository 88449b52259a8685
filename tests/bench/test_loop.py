"""The loop: how long from an edit to its status, and how many edits a second with 1,000 projects."""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from crds.client.client import Client
from crds.client.reflector import Reflector
from crds.client.store import Store
from crds.models.project import Project, ProjectSpec
from crds.models.record import Metadata, Record
from crds.models.route import Route
from crds.models.scaling import Scaling, ScalingSpec
from crds.models.workload import Workload, WorkloadSpec
from crds.names import labels_for
from tests.bench.report import figure, report
from tests.system.platform import Platform, platform

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]
PROJECTS = 1000
NAMESPACE = "acc-main"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with platform(tmp_path_factory.mktemp("loop") / "data") as started:
        yield started


async def in_parallel(jobs: list[Callable[[], Awaitable[object]]], width: int = 32) -> None:
    left = iter(jobs)

    async def worker() -> None:
        for job in left:
            await job()

    await asyncio.gather(*(worker() for _ in range(width)))


async def until(condition: Callable[[], bool], seconds: float = 120) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.0005)


def project(name: str) -> Project:
    spec = ProjectSpec(deploy_policy="manual")
    return Project(metadata=Metadata(name=name, namespace=NAMESPACE), spec=spec)


async def edit(client: Client, model: type[Record], name: str, spec: dict[str, object]) -> Record:
    return await client.patch(model, name, NAMESPACE, {"spec": spec})


async def test_edit_to_status(running: Platform) -> None:
    client = await Client.open(Path(running.credentials["kubeconfig"]), "bench")
    store: Store[Project] = Store(Project)
    reflector = Reflector(client, store)
    watching = asyncio.create_task(reflector.run())
    await reflector.synced.wait()
    await client.create(project("latency"))
    await until(lambda: (p := store.get(NAMESPACE, "latency")) is not None and p.status.observed_generation > 0)
    ours, floor = [], []
    for number in range(50):
        await asyncio.sleep(0.02)
        began = time.monotonic()
        made = await edit(client, Project, "latency", {"buildTimeoutSeconds": 100 + number})
        generation, version = made.metadata.generation, int(made.metadata.resource_version or 0)

        def seen(version: int = version) -> bool:
            now = store.get(NAMESPACE, "latency")
            return now is not None and int(now.metadata.resource_version or 0) >= version

        def done(generation: int = generation) -> bool:
            now = store.get(NAMESPACE, "latency")
            return now is not None and now.status.observed_generation >= generation

        await until(seen)
        floor.append((time.monotonic() - began) * 1000)
        await until(done)
        ours.append((time.monotonic() - began) * 1000)
    watching.cancel()
    await client.close()
    report("spec edit -> status, idle, p50", ours, floor, "ms", "<= 10 ms")
    assert statistics.median(ours) < 100, "far from the aim: something is wrong"


async def test_a_thousand_projects(running: Platform) -> None:
    client = await Client.open(Path(running.credentials["kubeconfig"]), "bench")
    projects: Store[Project] = Store(Project)
    scalings: Store[Scaling] = Store(Scaling)
    workloads: Store[Workload] = Store(Workload)
    watching = [
        asyncio.create_task(reflector.run())
        for reflector in (Reflector(client, projects), Reflector(client, scalings), Reflector(client, workloads))
    ]
    names = [f"p{number}" for number in range(PROJECTS)]
    await in_parallel([lambda name=name: client.create(project(name)) for name in names])  # type: ignore[misc]

    def all_projects(generation: int) -> bool:
        found = [projects.get(NAMESPACE, name) for name in names]
        return all(p is not None and p.status.observed_generation >= generation for p in found)

    await until(lambda: all_projects(1))
    seconds = await _timed(client, Project, names, {"buildTimeoutSeconds": 77}, lambda: all_projects(2))
    figure(f"{PROJECTS} projects, an edit that changes only status", PROJECTS / seconds, "a second", ">= 400")

    # The loop has made each project's Route; naming a deploy in it makes the workload the one that serves.
    serving = [lambda name=name: edit(client, Route, name, {"deploy": f"{name}-d"}) for name in names]
    await in_parallel(list(serving))
    for make in (_workload, _scaling):
        await in_parallel([lambda name=name, make=make: client.create(make(name)) for name in names])  # type: ignore[misc]

    def all_children(size: str, generation: int) -> bool:
        found = [(workloads.get(NAMESPACE, f"{n}-d-web"), scalings.get(NAMESPACE, f"{n}-web")) for n in names]
        return all(w and s and w.spec.size == size and s.status.observed_generation >= generation for w, s in found)

    await until(lambda: all_children("nano", 1))
    scaled = [f"{name}-web" for name in names]
    seconds = await _timed(client, Scaling, scaled, {"size": "small"}, lambda: all_children("small", 2))
    figure(f"{PROJECTS} projects, an edit that changes a child", PROJECTS / seconds, "a second", ">= 200")
    for task in watching:
        task.cancel()
    await client.close()


async def _timed(
    client: Client, model: type[Record], names: list[str], spec: dict[str, object], done: Callable[[], bool]
) -> float:
    began = time.monotonic()
    await in_parallel([lambda name=name: edit(client, model, name, spec) for name in names])  # type: ignore[misc]
    async with asyncio.timeout(120):
        while not done():
            await asyncio.sleep(0.01)
    return time.monotonic() - began


def _workload(name: str) -> Workload:
    """With no instance, so that nothing is started: only the loop's work is measured."""
    spec = WorkloadSpec(
        project=name, deploy=f"{name}-d", process="web", artifact="none", command="run", served=True, replicas=0
    )
    meta = Metadata(name=f"{name}-d-web", namespace=NAMESPACE, labels=labels_for(name, f"{name}-d", "web"))
    return Workload(metadata=meta, spec=spec)


def _scaling(name: str) -> Scaling:
    return Scaling(
        metadata=Metadata(name=f"{name}-web", namespace=NAMESPACE), spec=ScalingSpec(project=name, instances=0)
    )
