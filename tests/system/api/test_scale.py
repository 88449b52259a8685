"""Count and size, and the instances that come of them."""

import asyncio

from crds.client.client import MERGE_PATCH, Client
from crds.models.instance import Instance, InstanceSpec
from crds.models.record import Metadata
from crds.models.scaling import Scaling
from crds.names import labels_for
from tests.system.api.loop import live, set_status
from tests.system.api.nodes import played_node
from tests.system.api.visitor import MAIN, Visitor


async def test_scale_is_desired_state(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/scale"
    assert await visitor.ok("GET", path) == {
        "instances": 1,
        "size": "nano",
        "ready": 0,
        "schedulable": None,
        "message": None,
    }
    scaled = await visitor.ok("POST", path, {"instances": 3, "size": "small"})
    assert (scaled["instances"], scaled["size"]) == (3, "small")
    assert (await visitor.ok("POST", path, {"instances": 0}))["size"] == "small"
    shown = await visitor.ok("GET", f"/v1/projects/{project['id']}")
    assert (shown["instances"]["desired"], shown["size"]) == (0, "small")
    for body in ({"instances": 101}, {"instances": -1}, {"instances": 1.5}, {"instances": True}, {"instances": "1"}):
        refused = await visitor.call("POST", path, body)
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/instances"), body
    assert (await visitor.ok("POST", path, {"instances": 2.0}))["instances"] == 2
    refused = await visitor.call("POST", path, {"instances": 1, "size": "huge"})
    assert refused.json()["errors"][0]["pointer"] == "/size"


async def test_without_a_web_process_the_only_one_is_scaled(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/scale"
    deploy = await visitor.ok("POST", f"/v1/projects/{project['id']}/deploy", {})
    async with visitor.house.client() as client:
        await _runs(visitor, project["id"], deploy["deployId"], 1, "worker")
        assert (await visitor.ok("POST", path, {"instances": 5}))["instances"] == 5
        scaling = await client.get(Scaling, f"{project['name']}-worker", MAIN)
        assert (scaling.spec.process, scaling.spec.instances) == ("worker", 5)
        assert (await visitor.ok("GET", f"/v1/projects/{project['id']}"))["instances"]["desired"] == 5
        await _runs(visitor, project["id"], deploy["deployId"], 2, "worker", "clock")
        refused = await visitor.call("POST", path, {"instances": 2})
        assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
        assert "no process web, but worker, clock" in refused.json()["detail"]
        await _runs(visitor, project["id"], deploy["deployId"], 3, "worker", "web")
        assert (await visitor.ok("POST", path, {"instances": 2}))["instances"] == 2
        assert (await client.get(Scaling, f"{project['name']}-web", MAIN)).spec.instances == 2


async def _runs(visitor: Visitor, project: str, deploy: str, number: int, *processes: str) -> None:
    """Of these processes; returns when the API has seen it."""
    async with visitor.house.client() as client:
        await set_status(client, deploy, processes=[{"name": name, "command": "x"} for name in processes])
        await live(client, deploy, number=number)
    for _ in range(200):
        if (await visitor.ok("GET", f"/v1/projects/{project}"))["status"] == "running" and (
            await visitor.ok("GET", f"/v1/projects/{project}/deploys/{deploy}")
        )["number"] == number:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the API never saw it")


async def test_kubectl_scale_and_the_api_take_turns(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/scale"
    name = f"{project['name']}-web"
    async with visitor.house.client("kubectl") as client:
        await _scale(client, name, 4)
        assert (await client.get(Scaling, name, MAIN)).spec.instances == 4
        assert (await visitor.ok("POST", path, {"instances": 2}))["instances"] == 2
        assert (await client.get(Scaling, name, MAIN)).spec.instances == 2


async def test_an_autoscaler_is_not_overruled(visitor: Visitor) -> None:
    project = await visitor.project()
    name = f"{project['name']}-web"
    async with visitor.house.client("kube-controller-manager") as client:
        await _scale(client, name, 4)
    path = f"/v1/projects/{project['id']}/scale"
    for _ in range(100):
        if (await visitor.ok("GET", path))["instances"] == 4:
            break
        await asyncio.sleep(0.02)
    refused = await visitor.call("POST", path, {"instances": 2})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert (await visitor.ok("POST", path, {"instances": 4, "size": "large"}))["size"] == "large"


async def _scale(client: Client, name: str, replicas: int) -> None:
    """As `kubectl scale` and autoscalers do it."""
    path = f"{Scaling.resource.path(MAIN, name)}/scale"
    await client.transport.request(
        "PATCH",
        path,
        query={"fieldManager": client.manager},
        body={"spec": {"replicas": replicas}},
        content_type=MERGE_PATCH,
    )


async def test_a_shortfall_is_said(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/scale"
    await visitor.ok("POST", path, {"instances": 50})
    async with visitor.house.client() as client:
        record = await client.get(Scaling, f"{project['name']}-web", MAIN)
        condition = {
            "type": "Schedulable",
            "status": "False",
            "reason": "Short",
            "message": "48 of 50 instances do not fit.",
            "lastTransitionTime": "2026-11-21T10:00:00Z",
            "observedGeneration": record.metadata.generation,
        }
        await client.patch_status(record, {"ready": 2, "conditions": [condition]})
    for _ in range(100):
        shown = await visitor.ok("GET", path)
        if shown["schedulable"] is False:
            break
    assert (shown["ready"], shown["message"]) == (2, "48 of 50 instances do not fit.")
    # A new wish has not been judged yet.
    assert (await visitor.ok("POST", path, {"instances": 1}))["schedulable"] is None


async def test_running_instances_are_listed_with_their_figures(visitor: Visitor) -> None:
    project = await visitor.project()
    async with visitor.house.client() as client, played_node(visitor.house, client, "node-figures") as node:
        deploy = await visitor.ok("POST", f"/v1/projects/{project['id']}/deploy")
        released = await live(client, deploy["id"])
        labels = labels_for(project["name"], deploy=released.name, process="web")
        for number, phase in enumerate(("running", "crashed", "lost"), 1):
            name = f"{project['name']}-w-{number}"
            record = await client.create(
                Instance(
                    metadata=Metadata(name=name, namespace=MAIN, labels=labels),
                    spec=InstanceSpec(workload=f"{released.name}-web", node=node.name, size="small"),
                )
            )
            await client.patch_status(record, {"phase": phase, "ready": phase == "running", "restarts": number})
        figures = {
            "namespace": MAIN,
            "project": project["name"],
            "process": "web",
            "instance": f"{project['name']}-w-1",
        }
        series = [{"at": f"2026-11-21T10:00:{second:02d}Z", "cpu": 0.25, "memoryBytes": 1000} for second in (1, 31)]
        node.usage = [{**figures, "cpu": 0.25, "memoryBytes": 1000, "series": series}]
        path = f"/v1/projects/{project['id']}"
        for _ in range(100):
            shown = (await visitor.ok("GET", f"{path}/instances"))["instances"]
            if [instance["status"] for instance in shown] == ["running", "crashed"] and shown[0]["cpu"]:
                break
        assert [instance["status"] for instance in shown] == ["running", "crashed"]
        first = shown[0]
        assert first["id"].startswith("ins_")
        assert first["release"] == deploy["id"]
        assert (first["process"], first["node"], first["size"], first["restarts"]) == ("web", node.name, "small", 1)
        assert (first["cpu"], first["memoryBytes"], first["commit"]) == (0.25, 1000, "a" * 40)
        assert (shown[1]["cpu"], shown[1]["memoryBytes"]) == (None, None)
        metrics = await visitor.ok("GET", f"{path}/metrics")
        assert metrics["cpu"] == {"cores": 0.25, "limit": 0.5}
        assert metrics["memory"] == {"bytes": 1000, "limit": 2 * 256 * 2**20}
        assert metrics["requests"]["total"] is None
        assert metrics["series"] == [
            {"at": "2026-11-21T10:00:00Z", "cpu": 0.25, "memoryBytes": 1000, "requests": None, "errors": None}
        ]
    away = await visitor.call("GET", f"{path}/metrics")
    assert (away.status_code, away.json()["code"]) == (503, "unavailable")
    assert "retry-after" in away.headers
    still = (await visitor.ok("GET", f"{path}/instances"))["instances"]
    assert [instance["cpu"] for instance in still] == [None, None]
