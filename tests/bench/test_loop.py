"""The loop: how long from an edit to its status, and how many edits a second with 1,000 projects."""

import asyncio
import statistics
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest
import uvloop
import yaml

from crds.client.client import Client
from crds.client.transport import Transport
from crds.models.project import Project, ProjectSpec
from crds.models.record import Metadata, Record
from crds.models.route import Route
from crds.models.scaling import Scaling, ScalingSpec
from crds.models.workload import Workload, WorkloadSpec
from crds.names import labels_for
from tests.bench.apiserver.driver import WIDGETS, widget
from tests.bench.edits import Done, all_of, in_parallel, rates, until
from tests.bench.report import report
from tests.bench.watched import Objects, close, edit, watched
from tests.contract.apiserver.server import ROOT
from tests.contract.apiserver.server import running as api_server
from tests.system.platform import Platform, platform

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]
PROJECTS = 1000
GENERATIONS = (2, 3, 4)
NAMESPACE = "acc-main"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with platform(tmp_path_factory.mktemp("loop") / "data") as started:
        yield started


def project(name: str) -> Project:
    spec = ProjectSpec(deploy_policy="manual")
    return Project(metadata=Metadata(name=name, namespace=NAMESPACE), spec=spec)


def path(model: type[Record], name: str | None = None) -> str:
    return model.resource.path(NAMESPACE, name)


def observed(body: dict[str, Any] | None, generation: int) -> bool:
    return body is not None and body.get("status", {}).get("observedGeneration", 0) >= generation


def seen(projects: Objects, version: int) -> bool:
    return int(projects["latency"]["metadata"]["resourceVersion"]) >= version


def answered(projects: Objects, generation: int) -> bool:
    return observed(projects["latency"], generation)


# The measuring takes CPU from what is measured, ours as kopf alone: with uvloop as little as it can.
def test_edit_to_status(running: Platform) -> None:
    uvloop.run(_edit_to_status(running))


def test_a_thousand_projects(running: Platform, tmp_path: Path) -> None:
    uvloop.run(_a_thousand_projects(running, tmp_path))


async def _edit_to_status(running: Platform) -> None:
    client = await Client.open(Path(running.credentials["kubeconfig"]), "bench")
    await client.create(project("latency"))
    ours, floor = [], []
    async with watched(client.transport, path(Project)) as projects:
        await until(lambda: observed(projects.get("latency"), 1))
        for number in range(50):
            await asyncio.sleep(0.02)
            began = time.monotonic()
            made = await edit(client.transport, path(Project, "latency"), {"buildTimeoutSeconds": 100 + number})
            generation, version = made["metadata"]["generation"], int(made["metadata"]["resourceVersion"])
            await until(partial(seen, projects, version))
            floor.append((time.monotonic() - began) * 1000)
            await until(partial(answered, projects, generation))
            ours.append((time.monotonic() - began) * 1000)
    await close(client.transport)
    report("spec edit -> status, idle, p50", ours, floor, "ms", "<= 10 ms")
    assert statistics.median(ours) < 100, "far from the aim: something is wrong"


async def _a_thousand_projects(running: Platform, tmp_path: Path) -> None:
    floor = await _kopf_alone(tmp_path)
    client = await Client.open(Path(running.credentials["kubeconfig"]), "bench")
    names = [f"p{number}" for number in range(PROJECTS)]
    await in_parallel([partial(client.create, project(name)) for name in names])
    async with watched(client.transport, path(Project)) as projects:

        def all_projects(generation: int) -> Done:
            return all_of(names, lambda name: observed(projects.get(name), generation))

        await until(all_projects(1))
        rounds = [({"buildTimeoutSeconds": 70 + n}, partial(all_projects, n)) for n in GENERATIONS]
        ours = await rates(client.transport, [path(Project, name) for name in names], rounds)
    aim = ">= 400 a second (0.60x of the trial's floor)"
    report("1,000 projects, an edit that changes only status", ours, floor, "a second", aim)

    # The loop has made each project's Route; naming a deploy in it makes the workload the one that serves.
    serve = [partial(edit, client.transport, path(Route, name), {"deploy": f"{name}-d"}) for name in names]
    await in_parallel(serve)
    for make in (_workload, _scaling):
        await in_parallel([partial(client.create, make(name)) for name in names])
    async with (
        watched(client.transport, path(Workload)) as workloads,
        watched(client.transport, path(Scaling)) as scalings,
    ):

        def all_children(size: str, generation: int) -> Done:
            def reached(name: str) -> bool:
                sized = workloads[f"{name}-d-web"]["spec"]["size"] == size
                return sized and observed(scalings.get(f"{name}-web"), generation)

            return all_of(names, reached)

        await until(all_children("nano", 1))
        sizes = zip(("small", "nano", "small"), GENERATIONS, strict=True)
        resized = [({"size": size}, partial(all_children, size, n)) for size, n in sizes]
        ours = await rates(client.transport, [path(Scaling, f"{name}-web") for name in names], resized)
    aim = ">= 200 a second (0.30x of the trial's floor)"
    report("1,000 projects, an edit that changes a child", ours, floor, "a second", aim)
    await close(client.transport)


async def _kopf_alone(folder: Path) -> list[float]:
    """Edits a second with nothing but an API server and kopf."""
    group, version, plural = "test.example.com", "v1", "widgets"
    with api_server(folder) as server:
        transport = await Transport.open(server.kubeconfig, "bench")
        root = f"/apis/{group}/{version}/namespaces/default/{plural}"
        definition = yaml.safe_load(WIDGETS.read_text())
        await transport.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body=definition)
        names = [f"w{number}" for number in range(PROJECTS)]
        bodies = [orjson.loads(widget(name)) for name in names]
        await in_parallel([partial(transport.request, "POST", root, body=body) for body in bodies])
        command = [sys.executable, "-m", "tests.bench.kopf_alone", str(server.kubeconfig), group, version, plural]
        operator = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stderr=asyncio.subprocess.DEVNULL)
        try:
            async with watched(transport, root) as widgets:

                def all_widgets(generation: int) -> Done:
                    return all_of(names, lambda name: widgets[name].get("status", {}).get("replicas", 0) >= generation)

                await until(all_widgets(1))
                rounds = [({"note": f"edited {n}"}, partial(all_widgets, n)) for n in GENERATIONS]
                return await rates(transport, [f"{root}/{name}" for name in names], rounds)
        finally:
            operator.kill()
            await operator.wait()
            await close(transport)


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
