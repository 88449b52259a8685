"""Variables: set, masked, pending, removed; never where they do not belong."""

import asyncio
import json

from crds.models.core import Secret
from crds.models.record import Metadata
from tests.system.api.house import House
from tests.system.api.loop import live, set_status
from tests.system.api.visitor import MAIN, Visitor

MASK = "********"


async def test_secrets_are_masked_and_everything_is_pending_at_first(house: House, visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/env"
    assert await visitor.ok("GET", path) == {"vars": {}, "secret": [], "pending": []}
    sent = {
        "PLAIN": "1",
        "API_KEY": "hush-hush-1",
        "my_token": "hush-hush-2",
        "DB_URL": "postgres://me:hush-hush-3@db/x",
        "HOME_URL": "https://example.com",
        "EMPTY": "",
        "LINES": "a\nb",
    }
    shown = await visitor.ok("POST", path, {"vars": sent})
    assert shown["secret"] == ["API_KEY", "DB_URL", "my_token"]
    assert shown["vars"] == {name: MASK if name in shown["secret"] else value for name, value in sent.items()}
    assert shown["pending"] == sorted(sent)
    assert await visitor.ok("GET", path) == shown
    async with house.client() as client:
        secret = await client.get(Secret, f"{project['name']}-env", MAIN)
        assert secret.values() == sent
        assert json.loads(secret.metadata.annotations["setpoint.dev/secret-names"]) == shown["secret"]
        assert secret.metadata.owner_references[0].name == project["name"]
    assert "hush-hush" not in house.log


async def test_a_list_of_secret_names_decides(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/env"
    shown = await visitor.ok("POST", path, {"vars": {"COLOUR": "red", "PUBLIC_KEY": "pub"}, "secret": ["COLOUR"]})
    assert (shown["secret"], shown["vars"]) == (["COLOUR"], {"COLOUR": MASK, "PUBLIC_KEY": "pub"})
    # What is masked is not laid open by naming it; only a new value can be plain.
    assert (await visitor.ok("POST", path, {"vars": {}, "secret": []}))["vars"]["COLOUR"] == MASK
    assert (await visitor.ok("POST", path, {"vars": {"COLOUR": "blue"}}))["vars"]["COLOUR"] == MASK
    assert (await visitor.ok("POST", path, {"vars": {"COLOUR": "green"}, "secret": []}))["vars"]["COLOUR"] == "green"
    assert (await visitor.ok("POST", path, {"vars": {}, "secret": ["PUBLIC_KEY"]}))["vars"]["PUBLIC_KEY"] == MASK
    unset = await visitor.call("POST", path, {"vars": {}, "secret": ["NOT_SET"]})
    assert (unset.status_code, unset.json()["errors"][0]["pointer"]) == (422, "/secret/0")


async def test_the_mask_and_bad_names_are_refused_whole(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/env"
    for name, value in (
        ("KEY", MASK),
        ("1ST", "x"),
        ("A-B", "x"),
        ("", "x"),
        ("A B", "x"),
        ("PORT", "80"),
        ("SETPOINT_X", "x"),
        ("NUL", "a\0b"),
        ("NUMBER", 1),
        ("LONG", "x" * 600_000),
    ):
        refused = await visitor.call("POST", path, {"vars": {"GOOD": "1", name: value}})
        assert refused.status_code == 422, name
        assert refused.json()["errors"][0]["pointer"].startswith("/vars"), refused.json()
    assert (await visitor.ok("GET", path))["vars"] == {}


async def test_null_and_delete_remove(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/env"
    await visitor.ok("POST", path, {"vars": {"A": "1", "B_KEY": "2", "C": "3"}})
    assert (await visitor.ok("POST", path, {"vars": {"A": None}}))["vars"] == {"B_KEY": MASK, "C": "3"}
    assert (await visitor.call("DELETE", f"{path}/B_KEY")).status_code == 204
    assert (await visitor.call("DELETE", f"{path}/B_KEY")).status_code == 404
    assert await visitor.ok("GET", path) == {"vars": {"C": "3"}, "secret": [], "pending": ["C"]}


async def test_pending_is_the_difference_to_the_live_release(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}"
    await visitor.ok("POST", f"{path}/env", {"vars": {"SAME": "1", "CHANGED": "2", "GONE": "3"}})
    deploy = await visitor.ok("POST", f"{path}/deploy")
    async with visitor.house.client() as client:
        released = await live(client, deploy["id"])
        snapshot = Secret(
            metadata=Metadata(name=f"{released.name}-env", namespace=MAIN),
            data=Secret.encode({"SAME": "1", "CHANGED": "2", "GONE": "3"}),
        )
        await client.create(snapshot)
        await set_status(client, deploy["id"], snapshot=snapshot.name)
    for _ in range(100):
        if not (await visitor.ok("GET", f"{path}/env"))["pending"]:
            break
        await asyncio.sleep(0.02)
    shown = await visitor.ok("POST", f"{path}/env", {"vars": {"CHANGED": "new", "GONE": None, "ADDED": "x"}})
    assert shown["pending"] == ["ADDED", "CHANGED", "GONE"]


async def test_if_match_sees_a_secret_that_changed_behind_its_mask(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/env"
    first = await visitor.call("POST", path, {"vars": {"A_KEY": "one"}})
    second = await visitor.call("POST", path, {"vars": {"A_KEY": "two"}}, headers={"If-Match": first.headers["etag"]})
    assert second.status_code == 200
    assert second.json() == first.json()
    stale = await visitor.call("POST", path, {"vars": {"A_KEY": "x"}}, headers={"If-Match": first.headers["etag"]})
    assert stale.status_code == 412


async def test_edits_at_once_lose_nothing(visitor: Visitor) -> None:
    project = await visitor.project()
    path = f"/v1/projects/{project['id']}/env"
    names = [f"V{index}" for index in range(3)]
    answers = await asyncio.gather(*(visitor.call("POST", path, {"vars": {name: "x"}}) for name in names))
    kept = {name for name, answer in zip(names, answers, strict=True) if answer.status_code == 200}
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert set((await visitor.ok("GET", path))["vars"]) == kept


async def test_a_variable_of_git_is_not_edited(visitor: Visitor) -> None:
    project = await visitor.project()
    async with visitor.house.client("setpoint-git") as client:
        meta = {"name": f"{project['name']}-env", "namespace": MAIN}
        await client.apply(Secret, {"metadata": meta, "data": Secret.encode({"OF_GIT": "1"})})
    path = f"/v1/projects/{project['id']}/env"
    refused = await visitor.call("POST", path, {"vars": {"OF_GIT": "2"}})
    assert (refused.status_code, refused.json()["code"]) == (409, "managed_by_git")
    assert (await visitor.ok("POST", path, {"vars": {"MINE": "2"}}))["vars"] == {"MINE": "2", "OF_GIT": "1"}
