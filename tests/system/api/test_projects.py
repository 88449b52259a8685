"""Projects: made, listed, read, edited, deleted; against the real state store."""

import asyncio

from crds.models.project import Project
from crds.models.scaling import Scaling
from tests.system.api.visitor import MAIN, Visitor, new_name, project_record


async def test_a_project_is_made_with_its_scaling_and_read_at_once(visitor: Visitor) -> None:
    name = new_name()
    answer = await visitor.call("POST", "/v1/projects", {"name": name, "runtime": "python"})
    assert answer.status_code == 201
    made = answer.json()
    assert made["id"].startswith("prj_")
    assert (made["name"], made["handle"], made["status"], made["runtime"]) == (name, "main", "pending", "python")
    assert made["instances"] == {"desired": 1, "ready": 0}
    assert made["size"] == "nano"
    assert made["url"] is None
    assert answer.headers["location"] == f"/v1/projects/{made['id']}"
    read = await visitor.call("GET", f"/v1/projects/{made['id']}")
    assert read.json() == made
    assert read.headers["etag"] == answer.headers["etag"]
    by_handle = await visitor.ok("GET", f"/v1/projects/by-handle/main/{name}")
    assert by_handle["id"] == made["id"]
    async with visitor.house.client() as client:
        record = await project_record(client, name)
        assert record.spec.deploy_policy == "manual"
        scaling = await client.get(Scaling, f"{name}-web", MAIN)
        assert scaling.metadata.owner_references[0].uid == record.uid


async def test_a_taken_name_is_a_conflict_and_bad_names_are_told_apart(visitor: Visitor) -> None:
    name = new_name()
    await visitor.ok("POST", "/v1/projects", {"name": name})
    taken = await visitor.call("POST", "/v1/projects", {"name": name})
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
    for bad in ("", "Shop", "a--b", "-a", "a" * 31, "a_b", "ünïcode", "a/b"):
        refused = await visitor.call("POST", "/v1/projects", {"name": bad})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid"), bad
        assert refused.json()["errors"][0]["pointer"] == "/name"
    reserved = await visitor.call("POST", "/v1/projects", {"name": "api"})
    assert (reserved.status_code, reserved.json()["code"]) == (422, "reserved_name")


async def test_twins_at_once_make_one_project(visitor: Visitor) -> None:
    name = new_name()
    answers = await asyncio.gather(*(visitor.call("POST", "/v1/projects", {"name": name}) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7


async def test_the_list_is_paged_by_name(visitor: Visitor) -> None:
    prefix = new_name()
    names = [f"{prefix}-{index}" for index in range(5)]
    await asyncio.gather(*(visitor.ok("POST", "/v1/projects", {"name": name}, key="other") for name in names))
    seen: list[str] = []
    path = "/v1/projects?limit=2"
    while path:
        answer = await visitor.call("GET", path, key="other")
        page = answer.json()
        seen += [project["name"] for project in page["projects"]]
        assert len(page["projects"]) <= 2
        if page["nextCursor"] is None:
            assert "link" not in answer.headers
            break
        assert page["nextCursor"] in answer.headers["link"]
        path = answer.headers["link"].split(">")[0].removeprefix("<")
    assert [name for name in seen if name.startswith(prefix)] == names
    assert seen == sorted(seen)


async def test_an_edit_keeps_what_others_set_and_honours_if_match(visitor: Visitor) -> None:
    made = await visitor.project()
    async with visitor.house.client("kubectl") as client:
        edit = {"metadata": {"name": made["name"], "namespace": MAIN}, "spec": {"buildTimeoutSeconds": 77}}
        await client.apply(Project, edit, force=True)
    before = await visitor.call("GET", f"/v1/projects/{made['id']}")
    patched = await visitor.call(
        "PATCH", f"/v1/projects/{made['id']}", {"runtime": "node"}, headers={"If-Match": before.headers["etag"]}
    )
    # The cache may not have had the other's edit yet when the tag was read; then the tag is stale, and says so.
    if patched.status_code == 412:
        patched = await visitor.call(
            "PATCH", f"/v1/projects/{made['id']}", {"runtime": "node"}, headers={"If-Match": patched.headers["etag"]}
        )
    assert patched.status_code == 200, patched.text
    assert patched.json()["runtime"] == "node"
    stale = await visitor.call(
        "PATCH", f"/v1/projects/{made['id']}", {"runtime": None}, headers={"If-Match": before.headers["etag"]}
    )
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    async with visitor.house.client() as client:
        record = await project_record(client, made["name"])
        assert record.spec.build_timeout_seconds == 77
        assert record.spec.source.repository == "/srv/example"
        assert record.spec.runtime == "node"


async def test_a_field_of_git_is_not_edited(visitor: Visitor) -> None:
    made = await visitor.project()
    async with visitor.house.client("setpoint-git") as client:
        edit = {
            "metadata": {"name": made["name"], "namespace": MAIN, "annotations": {"setpoint.dev/source": "infra"}},
            "spec": {"runtime": "python"},
        }
        await client.apply(Project, edit, force=True)
    refused = await visitor.call("PATCH", f"/v1/projects/{made['id']}", {"runtime": "node"})
    assert (refused.status_code, refused.json()["code"]) == (409, "managed_by_git")
    assert "infra" in refused.json()["detail"]
    await visitor.ok("PATCH", f"/v1/projects/{made['id']}", {"path": "web"})


async def test_what_kubectl_makes_the_api_shows(visitor: Visitor) -> None:
    name = new_name()
    async with visitor.house.client("kubectl") as client:
        await client.apply(Project, {"metadata": {"name": name, "namespace": MAIN}, "spec": {"runtime": "static"}})
    for _ in range(100):
        answer = await visitor.call("GET", f"/v1/projects/by-handle/main/{name}")
        if answer.status_code == 200:
            break
        await asyncio.sleep(0.02)
    assert answer.json()["runtime"] == "static"
    # It has no Scaling; the first scale makes one.
    scaled = await visitor.ok("POST", f"/v1/projects/{answer.json()['id']}/scale", {"instances": 3})
    assert scaled["instances"] == 3
    # The record is kubectl's, and the API's edit lays its own field over it.
    await visitor.ok("PATCH", f"/v1/projects/{answer.json()['id']}", {"path": "web"})
    async with visitor.house.client() as client:
        assert (await project_record(client, name)).spec.runtime == "static"


async def test_delete_is_complete_or_goes_on(visitor: Visitor) -> None:
    gone = await visitor.project()
    answer = await visitor.call("DELETE", f"/v1/projects/{gone['id']}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert (await visitor.call("GET", f"/v1/projects/{gone['id']}")).status_code == 404
    held = await visitor.project()
    async with visitor.house.client() as client:
        patch = {"metadata": {"finalizers": ["setpoint.dev/controller"]}}
        await client.patch(Project, held["name"], MAIN, patch)
        answer = await visitor.call("DELETE", f"/v1/projects/{held['id']}")
        assert (answer.status_code, answer.json()["status"]) == (202, "deleting")
        refused = await visitor.call("POST", f"/v1/projects/{held['id']}/scale", {"instances": 2})
        assert refused.status_code == 409
        await client.patch(Project, held["name"], MAIN, {"metadata": {"finalizers": None}})


async def test_accounts_do_not_see_each_other(visitor: Visitor) -> None:
    mine = await visitor.project()
    theirs = await visitor.call("GET", f"/v1/projects/{mine['id']}", key="other")
    absent = await visitor.call("GET", "/v1/projects/prj_" + "a" * 26, key="other")
    assert theirs.status_code == absent.status_code == 404
    same = {"type", "title", "status", "detail", "code"}
    assert {k: v for k, v in theirs.json().items() if k in same} == {
        k: v for k, v in absent.json().items() if k in same
    }
    listed = await visitor.ok("GET", "/v1/projects?limit=500", key="other")
    assert mine["id"] not in {project["id"] for project in listed["projects"]}
    assert (await visitor.call("GET", f"/v1/projects/by-handle/main/{mine['name']}", key="other")).status_code == 404


async def test_an_owner_acts_in_the_account_below(visitor: Visitor) -> None:
    into = {"Setpoint-Account": "below"}
    made = await visitor.ok("POST", "/v1/projects", {"name": new_name()}, headers=into)
    assert made["handle"] == "below"
    assert (await visitor.call("GET", f"/v1/projects/{made['id']}")).status_code == 404
    assert (await visitor.call("GET", f"/v1/projects/{made['id']}", headers=into)).status_code == 200
    for handle in ("main", "nobody"):
        refused = await visitor.call("GET", "/v1/projects", key="other", headers={"Setpoint-Account": handle})
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
