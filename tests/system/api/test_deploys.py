"""Deploys: asked for, listed, cancelled, rolled back."""

import asyncio
from typing import Any

from crds.models.deploy import Deploy
from tests.system.api.loop import live, set_status
from tests.system.api.visitor import MAIN, Visitor, deploy_record


async def test_a_deploy_is_begun_and_shown(visitor: Visitor) -> None:
    project = await visitor.project()
    answer = await visitor.call("POST", f"/v1/projects/{project['id']}/deploy", {"ref": "v1.2"})
    deploy = answer.json()
    assert answer.status_code == 202
    assert (deploy["status"], deploy["ref"], deploy["trigger"]) == ("queued", "v1.2", "api")
    assert deploy["deployId"] == deploy["id"]
    assert deploy["deployId"].startswith("dep_")
    assert deploy["actor"].startswith("usr_")
    assert answer.headers["location"] == f"/v1/projects/{project['id']}/deploys/{deploy['id']}"
    assert (await visitor.call("GET", answer.headers["location"])).json() == deploy
    async with visitor.house.client() as client:
        record = await deploy_record(client, deploy["id"])
        assert record.spec.project == project["name"]
        assert record.metadata.labels["setpoint.dev/project"] == project["name"]
        assert record.metadata.owner_references[0].kind == "Project"


async def test_a_body_is_not_needed_and_a_bad_ref_is_refused(visitor: Visitor) -> None:
    project = await visitor.project()
    assert (await visitor.ok("POST", f"/v1/projects/{project['id']}/deploy"))["ref"] is None
    assert (await visitor.ok("POST", f"/v1/projects/{project['id']}/deploy", {}))["ref"] is None
    for ref in ("a b", "a..b", "-x", "--upload-pack=x", "", "a\nb", "x" * 300):
        refused = await visitor.call("POST", f"/v1/projects/{project['id']}/deploy", {"ref": ref})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/ref"), ref


async def test_without_a_repository_there_is_nothing_to_deploy(visitor: Visitor) -> None:
    project = await visitor.project(repo="")
    refused = await visitor.call("POST", f"/v1/projects/{project['id']}/deploy", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")


async def test_the_same_key_is_the_same_deploy(visitor: Visitor) -> None:
    project = await visitor.project()
    path, headers = f"/v1/projects/{project['id']}/deploy", {"Idempotency-Key": f"once-{project['id']}"}
    first = await visitor.call("POST", path, {"ref": "main"}, headers=headers)
    again = await visitor.call("POST", path, {"ref": "main"}, headers=headers)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["location"] == first.headers["location"]
    other = await visitor.call("POST", path, {"ref": "v2"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    assert len((await visitor.ok("GET", f"/v1/projects/{project['id']}/deploys"))["deploys"]) == 1


async def test_twins_in_flight_begin_one_deploy(visitor: Visitor) -> None:
    project = await visitor.project()
    path, headers = f"/v1/projects/{project['id']}/deploy", {"Idempotency-Key": f"twins-{project['id']}"}
    answers = await asyncio.gather(*(visitor.call("POST", path, {}, headers=headers) for _ in range(10)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["id"] for answer in answers}) == 1


async def test_deploys_are_listed_newest_first(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/deploys"
    made = []
    async with visitor.house.client() as client:
        for number in range(1, 6):
            deploy = await visitor.ok("POST", f"/v1/projects/{project['id']}/deploy")
            await set_status(client, deploy["id"], number=number, phase="failed")
            made.append(deploy["id"])

    async def numbered() -> list[dict[str, Any]]:
        return list((await visitor.ok("GET", path))["deploys"])

    for _ in range(100):
        found = await numbered()
        if all(deploy["number"] for deploy in found):
            break
        await asyncio.sleep(0.02)
    assert [deploy["id"] for deploy in found] == made[::-1]
    page = await visitor.ok("GET", f"{path}?limit=3")
    rest = await visitor.ok("GET", f"{path}?limit=3&cursor={page['nextCursor']}")
    assert [deploy["id"] for deploy in page["deploys"] + rest["deploys"]] == made[::-1]
    assert rest["nextCursor"] is None
    refused = await visitor.call("GET", f"{path}?cursor=AAAA")
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "?cursor")


async def test_cancel_is_said_to_the_loop_and_refused_when_over(visitor: Visitor) -> None:
    project = await visitor.project()
    deploy = await visitor.ok("POST", f"/v1/projects/{project['id']}/deploy")
    path = f"/v1/projects/{project['id']}/deploys/{deploy['id']}/cancel"
    assert (await visitor.call("POST", path)).status_code == 202
    assert (await visitor.call("POST", path)).status_code == 202
    async with visitor.house.client() as client:
        assert (await deploy_record(client, deploy["id"])).spec.cancel
        await set_status(client, deploy["id"], phase="cancelled")
    for _ in range(100):
        answer = await visitor.call("POST", path)
        if answer.status_code == 409:
            break
        await asyncio.sleep(0.02)
    assert answer.json()["code"] == "conflict"


async def test_rollback_brings_back_one_that_was_live(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}"
    async with visitor.house.client() as client:
        assert (await visitor.call("POST", f"{path}/rollback")).status_code == 409
        made = [await visitor.ok("POST", f"{path}/deploy", {"ref": f"v{number}"}) for number in (1, 2)]
        for number, deploy in enumerate(made, 1):
            await live(client, deploy["id"], number=number)
        await set_status(client, made[0]["id"], phase="superseded")
        for _ in range(100):
            if (await visitor.ok("GET", path))["deployId"] == made[1]["id"]:
                break
            await asyncio.sleep(0.02)
        back = await visitor.call("POST", f"{path}/rollback")
        assert back.status_code == 202
        assert back.json()["trigger"] == "rollback"
        record = await deploy_record(client, back.json()["id"])
        first = await deploy_record(client, made[0]["id"])
        assert (record.spec.rollback_to, record.spec.ref) == (first.name, "v1")
    named = await visitor.call("POST", f"{path}/rollback", {"deployId": made[0]["id"]})
    assert named.status_code == 202
    for bad, status in ((made[1]["id"], 409), (back.json()["id"], 409), ("dep_" + "a" * 26, 409), ("dep_x", 422)):
        assert (await visitor.call("POST", f"{path}/rollback", {"deployId": bad})).status_code == status, bad


async def test_a_deploy_by_manifest_is_shown(visitor: Visitor) -> None:
    project = await visitor.project()
    async with visitor.house.client("kubectl") as client:
        body = {
            "metadata": {"name": f"{project['name']}-hand", "namespace": MAIN},
            "spec": {"project": project["name"]},
        }
        await client.apply(Deploy, body)
    for _ in range(100):
        found = (await visitor.ok("GET", f"/v1/projects/{project['id']}/deploys"))["deploys"]
        if found:
            break
        await asyncio.sleep(0.02)
    assert found[0]["actor"] is None
    cancelled = await visitor.call("POST", f"/v1/projects/{project['id']}/deploys/{found[0]['id']}/cancel")
    assert cancelled.status_code == 202
