"""Deliveries of a git provider, proved by their signature."""

import asyncio
import hashlib
import hmac
import json
from typing import Any

import httpx

from crds.models.core import Secret
from crds.models.project import Project
from crds.names import webhook_secret
from tests.system.api.visitor import MAIN, Visitor, project_record


def signed(secret: str, body: bytes, **headers: str) -> dict[str, str]:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Hub-Signature-256": f"sha256={digest}", "Content-Type": "application/json", **headers}


async def hooked(visitor: Visitor, branch: str | None = "main") -> tuple[dict[str, Any], str, str]:
    """A connected project, its webhook's path, its secret."""
    project = await visitor.project(repo="")
    path = f"/v1/projects/{project['id']}/git"
    made = await visitor.ok("POST", path, {"repo": "acme/shop", **({"branch": branch} if branch else {})})
    return project, f"{path}/webhook", made["secret"]


async def push(visitor: Visitor, path: str, secret: str, ref: str = "refs/heads/main", **more: Any) -> httpx.Response:
    headers = more.pop("headers", {})
    body = json.dumps({"ref": ref, **more}).encode()
    return await visitor.http.post(path, content=body, headers=signed(secret, body, **headers))


async def word(visitor: Visitor, project: dict[str, Any]) -> str | None:
    """The last word that the loop was told."""
    async with visitor.house.client() as client:
        return (await project_record(client, project["name"])).metadata.annotations.get("setpoint.dev/push")


async def test_the_published_vector(visitor: Visitor) -> None:
    """GitHub's documented secret, payload and signature: proved, and then found to be no JSON."""
    project, path, _ = await hooked(visitor)
    async with visitor.house.client() as client:
        data = Secret.encode({"secret": "It's a Secret to Everybody"})
        await client.patch(Secret, webhook_secret(project["name"]), MAIN, {"data": data})
    signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    headers = {"X-Hub-Signature-256": signature}
    answer = await visitor.http.post(path, content=b"Hello, World!", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
    wrong = await visitor.http.post(path, content=b"Hello, World?", headers=headers)
    assert wrong.status_code == 401


async def test_a_push_to_the_branch_tells_the_loop(visitor: Visitor) -> None:
    project, path, secret = await hooked(visitor)
    answer = await push(visitor, path, secret, headers={"X-GitHub-Event": "push"})
    assert (answer.status_code, answer.json()["status"]) == (202, "accepted")
    assert await word(visitor, project)
    shown = await visitor.ok("GET", path.removesuffix("/webhook"))
    assert shown["webhook"]["status"] == "active"
    assert shown["webhook"]["lastDeliveryAt"].endswith("Z")
    deploys = await visitor.ok("GET", f"/v1/projects/{project['id']}/deploys")
    assert deploys["deploys"] == []  # the loop makes them, from what the repository says


async def test_whatever_does_not_fit_is_one_and_the_same_401(visitor: Visitor) -> None:
    project, path, secret = await hooked(visitor)
    unconfigured = await visitor.project(repo="")
    body = b'{"ref": "refs/heads/main"}'
    good = signed(secret, body)["X-Hub-Signature-256"]
    answers = [
        await visitor.http.post(path, content=body),
        await visitor.http.post(path, content=body, headers={"X-Hub-Signature-256": good[:-1] + "x"}),
        await visitor.http.post(path, content=body, headers={"X-Hub-Signature-256": good.removeprefix("sha256=")}),
        await visitor.http.post(path, content=body, headers=[(b"X-Hub-Signature-256", "ä".encode())]),
        await visitor.http.post(path, content=body + b" ", headers={"X-Hub-Signature-256": good}),
        await visitor.http.post(path, content=b"{", headers={"X-Hub-Signature-256": good}),
        await visitor.http.post(path.replace("prj_", "prj_x"), content=body, headers={"X-Hub-Signature-256": good}),
        await visitor.http.post(
            f"/v1/projects/prj_{'a' * 26}/git/webhook", content=body, headers={"X-Hub-Signature-256": good}
        ),
        await visitor.http.post(
            f"/v1/projects/{unconfigured['id']}/git/webhook", content=body, headers={"X-Hub-Signature-256": good}
        ),
    ]
    for answer in answers:
        assert answer.status_code == 401
        assert "www-authenticate" not in answer.headers
        assert {**answer.json(), "instance": ""} == {**answers[0].json(), "instance": ""}
    assert not await word(visitor, project)
    shown = await visitor.ok("GET", path.removesuffix("/webhook"))
    assert shown["webhook"]["status"] == "failing"
    assert "signature" in shown["webhook"]["lastError"]
    await push(visitor, path, secret)
    assert (await visitor.ok("GET", path.removesuffix("/webhook")))["webhook"]["status"] == "active"


async def test_rotate_stops_the_old_secret_at_once(visitor: Visitor) -> None:
    _, path, old = await hooked(visitor)
    new = (await visitor.ok("POST", path.replace("webhook", "rotate-secret")))["secret"]
    assert (await push(visitor, path, old)).status_code == 401
    assert (await push(visitor, path, new)).status_code == 202


async def test_a_ping_and_other_events_deploy_nothing(visitor: Visitor) -> None:
    project, path, secret = await hooked(visitor)
    ping = await push(visitor, path, secret, headers={"X-GitHub-Event": "ping"})
    assert (ping.status_code, ping.json()["status"]) == (200, "pong")
    for headers, ref, more in (
        ({"X-GitHub-Event": "issues"}, "refs/heads/main", {}),
        ({}, "refs/heads/other", {}),
        ({}, "refs/tags/main", {}),
        ({}, "refs/heads/main", {"deleted": True}),
    ):
        answer = await push(visitor, path, secret, ref, headers=headers, **more)
        assert (answer.status_code, answer.json()["status"]) == (202, "ignored"), ref
    assert not await word(visitor, project)


async def test_connecting_forgets_the_pushes_of_before(visitor: Visitor) -> None:
    project, path, secret = await hooked(visitor)
    await push(visitor, path, secret)
    assert await word(visitor, project)
    await visitor.ok("POST", f"/v1/projects/{project['id']}/git", {"repo": "acme/other", "branch": "main"})
    assert await word(visitor, project) == ""


async def test_without_a_branch_every_push_is_looked_at(visitor: Visitor) -> None:
    project, path, secret = await hooked(visitor, branch=None)
    assert (await push(visitor, path, secret, "refs/heads/trunk")).json()["status"] == "accepted"
    assert await word(visitor, project)


async def test_what_was_seen_is_seen(visitor: Visitor) -> None:
    project, path, secret = await hooked(visitor)
    first = await push(visitor, path, secret, headers={"X-GitHub-Delivery": "d-1"}, after="a")
    assert first.status_code == 202
    told = await word(visitor, project)
    for headers, more in (
        ({"X-GitHub-Delivery": "d-1"}, {"after": "b"}),
        ({"X-GitHub-Delivery": "d-2"}, {"after": "a"}),
    ):
        answer = await push(visitor, path, secret, headers=headers, **more)
        assert (answer.status_code, answer.json()["status"]) == (200, "seen"), more
    assert await word(visitor, project) == told
    # Once the head has moved the same body is news again.
    async with visitor.house.client() as client:
        record = await project_record(client, project["name"])
        await client.patch_status(record, {"head": "b" * 40})
    for number in range(100):
        answer = await push(visitor, path, secret, headers={"X-GitHub-Delivery": f"e-{number}"}, after="a")
        if answer.status_code == 202:
            break
        await asyncio.sleep(0.02)
    assert answer.status_code == 202


async def test_fifty_copies_are_one_word(visitor: Visitor) -> None:
    project, path, secret = await hooked(visitor)
    headers = {"X-GitHub-Delivery": "fifty"}
    answers = await asyncio.gather(*(push(visitor, path, secret, headers=headers) for _ in range(50)))
    assert {answer.status_code for answer in answers} <= {200, 202}
    async with visitor.house.client() as client:
        record: Project = await project_record(client, project["name"])
    assert record.metadata.generation == 2  # made, connected; a word is no edit of the spec


async def test_bodies_up_to_25_mib(visitor: Visitor) -> None:
    _, path, secret = await hooked(visitor)
    body = json.dumps({"ref": "refs/heads/main", "pad": "x" * (20 * 2**20)}).encode()
    assert (await visitor.http.post(path, content=body, headers=signed(secret, body))).status_code == 202
    long = await visitor.http.post(path, content=b"x" * (25 * 2**20 + 1))
    assert (long.status_code, long.json()["code"]) == (413, "too_large")


async def test_what_is_proved_but_wrong(visitor: Visitor) -> None:
    _, path, secret = await hooked(visitor)
    for body, status, pointer in (
        (b"payload=%7B%7D", 400, None),
        (b"[]", 422, ""),
        (b"{}", 422, "/ref"),
        (b'{"ref": 1}', 422, "/ref"),
        (b'{"ref": ["refs/heads/main"]}', 422, "/ref"),
    ):
        answer = await visitor.http.post(path, content=body, headers=signed(secret, body))
        assert answer.status_code == status, body
        if pointer is not None:
            assert answer.json()["errors"][0]["pointer"] == pointer
