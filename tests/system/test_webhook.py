"""Pushes by webhook: one deploy for each head, the newest wins, whatever is delivered how often and in which order."""

import hashlib
import hmac
import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.system.platform import Platform, eventually, platform
from tests.system.repositories import commit, version


class Hook:
    """A git provider that knows the project's secret."""

    def __init__(self, running: Platform, project: str, secret: str):
        self.url = f"{running.credentials['apiUrl']}/v1/projects/{project}/git/webhook"
        self.secret = secret

    def send(self, body: bytes, delivery: str | None = None, **headers: str) -> httpx.Response:
        signature = hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        every = {
            "X-Hub-Signature-256": f"sha256={signature}",
            "X-GitHub-Event": "push",
            "X-GitHub-Delivery": delivery or str(uuid.uuid4()),
            "Content-Type": "application/json",
            **headers,
        }
        return httpx.post(self.url, content=body, headers=every, timeout=20, trust_env=False)

    def push(self, head: str, branch: str = "main", delivery: str | None = None) -> httpx.Response:
        return self.send(json.dumps({"ref": f"refs/heads/{branch}", "after": head}).encode(), delivery)


@pytest.fixture
def hooked(tmp_path: Path, shared: Platform, api: httpx.Client, request: pytest.FixtureRequest) -> Any:
    repository = tmp_path / "repository"
    commit(repository, version("zero"))
    name = "hook-" + hashlib.sha256(request.node.name.encode()).hexdigest()[:8]
    id_ = api.post("/v1/projects", json={"name": name}).json()["id"]
    connected = api.post(f"/v1/projects/{id_}/git", json={"repo": str(repository), "branch": "main"})
    secret = connected.json()["secret"]
    assert secret
    assert shared.deploy(api, id_)["status"] == "live"
    return name, id_, repository, Hook(shared, id_, secret)


def deploys(shared: Platform, name: str) -> list[dict[str, Any]]:
    found = [d for d in shared.records("deploys") if d["spec"]["project"] == name]
    return sorted(found, key=lambda d: d["status"].get("number") or 1 << 30)


def serves(shared: Platform, name: str, text: str) -> None:
    eventually(lambda: shared.get(name).text.strip() == text, 40)


def test_fifty_copies_of_a_delivery_are_one_deploy(hooked: Any, shared: Platform) -> None:
    name, _, repository, hook = hooked
    head = commit(repository, version("one"))
    delivery = str(uuid.uuid4())
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: hook.push(head, delivery=delivery), range(50)))
    assert {answer.status_code for answer in answers} <= {200, 202}
    serves(shared, name, "one")
    hook.push(head, delivery=delivery)
    hook.push(head)
    serves(shared, name, "one")
    assert [d["status"].get("commit") for d in deploys(shared, name)].count(head) == 1


def test_an_old_ref_after_a_new_one_and_many_heads(hooked: Any, shared: Platform) -> None:
    name, _, repository, hook = hooked
    old = commit(repository, version("old"))
    new = commit(repository, version("new"))
    assert hook.push(new).status_code == 202
    assert hook.push(old).status_code == 202, "what is deployed is the branch's head, not what the payload says"
    serves(shared, name, "new")
    commits = [d["status"].get("commit") for d in deploys(shared, name)]
    assert old not in commits
    for number in range(5):
        hook.push(commit(repository, version(f"n{number}")))
    serves(shared, name, "n4")
    live = [d for d in deploys(shared, name) if d["status"]["phase"] == "live"]
    eventually(lambda: len([d for d in deploys(shared, name) if d["status"]["phase"] == "live"]) == 1)
    assert live
    commits = [d["status"].get("commit") for d in deploys(shared, name) if d["status"].get("commit")]
    assert len(commits) == len(set(commits)), "one deploy for each head"


def test_who_may_not_and_what_is_no_push(hooked: Any, shared: Platform, api: httpx.Client) -> None:
    name, id_, repository, hook = hooked
    head = commit(repository, version("unseen"))
    before = len(deploys(shared, name))
    body = json.dumps({"ref": "refs/heads/main"}).encode()
    wrong = hook.send(body, **{"X-Hub-Signature-256": "sha256=" + "0" * 64})
    missing = hook.send(body, **{"X-Hub-Signature-256": ""})
    unknown = httpx.post(hook.url.replace(id_, "prj_" + "a" * 26), content=body, timeout=20, trust_env=False)
    assert [a.status_code for a in (wrong, missing, unknown)] == [401, 401, 401]
    texts = [{k: v for k, v in a.json().items() if k != "instance"} for a in (wrong, missing, unknown)]
    assert texts[0] == texts[1] == texts[2]
    assert hook.send(b"{}", **{"X-GitHub-Event": "ping"}).status_code == 200
    assert hook.push(head, branch="other").status_code == 202
    rotated = api.post(f"/v1/projects/{id_}/git/rotate-secret", json={})
    assert hook.push(head).status_code == 401, "the old secret stops at once"
    assert len(deploys(shared, name)) == before
    hook.secret = rotated.json()["secret"]
    assert hook.push(head).status_code == 202
    serves(shared, name, "unseen")


def test_the_same_body_deploys_again_once_the_head_has_moved(hooked: Any, shared: Platform) -> None:
    name, _, repository, hook = hooked
    body = json.dumps({"ref": "refs/heads/main"}).encode()
    commit(repository, version("one"))
    hook.send(body)
    serves(shared, name, "one")
    commit(repository, version("two"))
    hook.send(body)
    serves(shared, name, "two")


def test_a_lost_delivery_is_healed(tmp_path: Path) -> None:
    """The branch is looked at every five minutes; here every second, so that nobody waits."""
    repository = tmp_path / "repository"
    commit(repository, version("zero"))
    with platform(tmp_path / "data", environment={"SETPOINT_GIT_INTERVAL": "1"}) as running, running.api() as client:
        running.deploy(client, running.new_project(client, "lost", repository))
        eventually(lambda: any(g["metadata"]["name"] == "lost-head" for g in running.records("gitrefs")))
        commit(repository, version("healed"))
        serves(running, "lost", "healed")
        assert len(deploys(running, "lost")) == 2
