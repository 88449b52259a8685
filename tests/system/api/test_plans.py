"""Plans: what would happen, with nothing changed by asking."""

import hashlib
from pathlib import Path
from typing import Any

from crds.kinds import KINDS
from crds.models.core import Secret
from crds.models.project import Project
from crds.models.record import Record
from tests.system.api.house import House
from tests.system.api.loop import live
from tests.system.api.nodes import played_node
from tests.system.api.visitor import MAIN, Visitor, new_name


def write_repository(house: House, **files: str) -> str:
    """A folder that stands for a repository; its path."""
    folder: Path = house.repositories / new_name()
    folder.mkdir()
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return f"/srv/{folder.name}"


async def everything(house: House) -> str:
    """A hash of all records, to show that nothing was written."""
    seen = hashlib.sha256()
    async with house.client() as client:
        models: list[type[Record]] = [*(kind.model for kind in KINDS), Secret]
        for model in models:
            for record in (await client.list(model))[0]:
                seen.update(repr((record.key, record.uid, record.metadata.resource_version)).encode())
    return seen.hexdigest()


async def test_a_project_is_planned_and_nothing_changes(house: House, visitor: Visitor) -> None:
    project = await visitor.project(repo=write_repository(house, main__py="print(1)", requirements__txt="flask"))
    path = f"/v1/projects/{project['id']}"
    await visitor.ok("POST", f"{path}/env", {"vars": {"API_KEY": "hush-hush-plan"}})
    await visitor.ok("POST", f"{path}/scale", {"instances": 2, "size": "small"})
    async with house.client() as client, played_node(house, client, "node-plan"):
        for _ in range(100):
            before = await everything(house)
            plan = await visitor.ok("POST", "/v1/deploy/plan", {"projectId": project["id"], "ref": "v1"})
            if plan["resources"]["fits"]:
                break
        assert await everything(house) == before
        again = await visitor.ok("POST", "/v1/deploy/plan", {"projectId": project["id"], "ref": "v1"})
    assert plan["source"]["ref"] == "v1"
    assert plan["source"]["commit"] == "c" * 40
    assert plan["runtime"] == "python"
    assert plan["build"]["strategy"]
    assert plan["build"]["steps"]
    (web,) = plan["processes"]
    assert (web["name"], web["instances"], web["size"]) == ("web", 2, "small")
    assert "API_KEY" in plan["wiring"]["env"]
    assert plan["wiring"]["domains"] == [f"{project['name']}--main.localhost"]
    assert plan["resources"] == {
        "cpu": 0.5,
        "memoryBytes": 512 * 2**20,
        "instances": 2,
        "fits": True,
        "node": "node-plan",
    }
    assert again == plan
    assert "hush-hush-plan" not in str(plan)


async def test_a_source_that_is_no_project_yet(house: House, visitor: Visitor) -> None:
    repository = write_repository(house, index__html="<h1>")
    plan = await visitor.ok("POST", "/v1/deploy/plan", {"source": {"repository": repository}})
    assert (plan["runtime"], plan["changes"]) == ("static", [])
    assert plan["resources"]["fits"] is False  # there is no node
    assert any("no compute node" in warning for warning in plan["warnings"])
    hinted = {"source": {"repository": repository, "branch": "main"}, "runtime": "node"}
    wrong = await visitor.ok("POST", "/v1/deploy/plan", hinted)
    assert wrong["runtime"] is None
    assert any("would fail" in warning for warning in wrong["warnings"])
    gone = await visitor.call("POST", "/v1/deploy/plan", {"source": {"repository": repository, "ref": "gone"}})
    assert (gone.status_code, gone.json()["errors"][0]["pointer"]) == (422, "/source/ref")


async def test_what_a_release_would_change(house: House, visitor: Visitor) -> None:
    project = await visitor.project(repo=write_repository(house, index__html="<h1>"))
    deploy = await visitor.ok("POST", f"/v1/projects/{project['id']}/deploy")
    async with house.client() as client:
        await live(client, deploy["id"])
    for _ in range(100):
        plan = await visitor.ok("POST", "/v1/deploy/plan", {"projectId": project["id"]})
        if plan["changes"]:
            break
    changes = {change["field"]: (change["before"], change["after"]) for change in plan["changes"]}
    assert changes["commit"] == ("a" * 40, "c" * 40)


async def test_manifests_are_compared_field_by_field(house: House, visitor: Visitor) -> None:
    project = await visitor.project(repo=write_repository(house, index__html="<h1>"))
    async with house.client("kubectl") as client:
        body = {"metadata": {"name": project["name"], "namespace": MAIN}, "spec": {"buildTimeoutSeconds": 60}}
        await client.apply(Project, body, force=True)
    text = f"""
apiVersion: setpoint.dev/v1
kind: Project
metadata:
  name: {project["name"]}
spec:
  buildTimeoutSeconds: 120
  colour: red
  source:
    repository: {write_repository(house, index__html="x")}
---
apiVersion: setpoint.dev/v1
kind: Scaling
metadata:
  name: {project["name"]}-web
spec:
  project: {project["name"]}
  instances: 3
"""
    for _ in range(100):
        before = await everything(house)
        plan = await visitor.ok("POST", "/v1/deploy/plan", {"manifests": text})
        changes = {(change["object"], change["field"]): change for change in plan["changes"]}
        timeout = changes[f"Project/{project['name']}", "spec.buildTimeoutSeconds"]
        if timeout["before"] == 60:
            break
    assert await everything(house) == before
    assert (timeout["before"], timeout["after"], timeout["owner"]) == (60, 120, "kubectl")
    scaled = changes[f"Scaling/{project['name']}-web", "spec.instances"]
    assert (scaled["before"], scaled["after"], scaled["owner"]) == (1, 3, "setpoint-api")
    assert plan["processes"][0]["instances"] == 3
    assert any("spec.colour" in warning for warning in plan["warnings"])


async def test_bad_requests(visitor: Visitor) -> None:
    bodies: list[tuple[dict[str, Any], str]] = [
        ({}, ""),
        ({"projectId": "prj_" + "a" * 26, "source": {"repository": "a/b"}}, ""),
        ({"source": {"repository": "ext::sh -c x"}}, "/source/repository"),
        ({"source": {"repository": "acme/shop", "ref": "-x"}}, "/source/ref"),
        ({"source": {"repository": "acme/shop", "more": 1}}, "/source/more"),
        ({"manifests": "a: [1"}, "/manifests"),
        ({"manifests": "a: &a [1]\nb: *a"}, "/manifests"),
        ({"manifests": "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: x}"}, "/manifests"),
        ({"manifests": "!!python/object/apply:os.system ['x']"}, "/manifests"),
        ({"manifests": "kind: Instance\napiVersion: setpoint.dev/v1\nmetadata: {name: x}"}, "/manifests"),
    ]
    for body, pointer in bodies:
        refused = await visitor.call("POST", "/v1/deploy/plan", body)
        assert refused.status_code == 422, body
        assert refused.json()["errors"][0]["pointer"] == pointer, refused.json()
    assert (await visitor.call("POST", "/v1/deploy/plan", {"projectId": "prj_" + "a" * 26})).status_code == 404
    other = await visitor.project(key="other", repo="")
    assert (await visitor.call("POST", "/v1/deploy/plan", {"projectId": other["id"]})).status_code == 404
