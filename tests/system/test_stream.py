"""The deploy's stream: every line once, for everybody, and again for whoever comes back."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.system.platform import Platform, eventually
from tests.system.repositories import commit, version

Event = tuple[str, str, dict[str, Any]]


def events(answer: httpx.Response) -> Iterator[Event]:
    id_, event, data = "", "message", ""
    for line in answer.iter_lines():
        if line.startswith("id:"):
            id_ = line[3:].strip()
        elif line.startswith("event:"):
            event = line[6:].strip()
        elif line.startswith("data:"):
            data = line[5:].strip()
        elif not line and data:
            yield id_, event, json.loads(data)
            data = ""


def whole(api: httpx.Client, method: str, path: str, **more: Any) -> list[Event]:
    headers = {"Accept": "text/event-stream", **more.pop("headers", {})}
    with api.stream(method, path, headers=headers, **more) as answer:
        assert answer.status_code == 200, answer.read()
        return list(events(answer))


def test_as_it_happens_and_ends_with_the_address(tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    repository = tmp_path / "repository"
    commit(repository, version("one"))
    project = shared.new_project(api, "stream", repository)
    first = whole(api, "POST", f"/v1/projects/{project}/deploy/stream", json={})
    kinds = [event for _, event, _ in first]
    assert kinds[-1] == "done"
    done = first[-1][2]
    assert done["status"] == "live"
    assert httpx.get(f"http://127.0.0.1:{shared.router_port}/", headers={"Host": httpx.URL(done["url"]).host}).text
    deploy = done["deployId"]
    ids = [id_ for id_, _, _ in first]
    assert len(ids) == len(set(ids)), "every event has an id of its own"
    lines = [data for _, event, data in first if event == "log"]
    assert [line["seq"] for line in lines] == sorted(line["seq"] for line in lines)
    assert {"seq", "at", "phase", "stream", "line"} <= set(lines[0])
    again = whole(api, "GET", f"/v1/projects/{project}/deploys/{deploy}/stream")
    assert again == first, "a finished one is told in the same words"


def test_ten_see_the_same_and_one_comes_back(tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    repository = tmp_path / "repository"
    commit(repository, {**version("one"), "requirements.txt": "iniconfig==2.3.0\n"})
    project = shared.new_project(api, "watchers", repository)
    deploy = api.post(f"/v1/projects/{project}/deploy", json={}).json()["deployId"]
    path = f"/v1/projects/{project}/deploys/{deploy}/stream"
    seen: list[list[Event]] = []

    def watch() -> None:
        with shared.api() as client:
            seen.append(whole(client, "GET", path))

    threads = [threading.Thread(target=watch) for _ in range(10)]
    for thread in threads:
        thread.start()
    broken = _leave_and_come_back(shared, project, path)
    for thread in threads:
        thread.join(60)
    assert len(seen) == 10
    logs = [[event for event in one if event[1] == "log"] for one in seen]
    assert all(one == logs[0] for one in logs)
    assert [event for event in broken if event[1] == "log"] == logs[0]


def _leave_and_come_back(shared: Platform, project: str, path: str) -> list[Event]:
    """Three events at a time, each time by a new connection; the last time by a POST, which joins."""
    got: list[Event] = []
    with shared.api() as client:
        for _ in range(4):
            headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": got[-1][0]} if got else {})
            with client.stream("GET", path, headers=headers) as answer:
                for event in events(answer):
                    got.append(event)
                    if len(got) % 3 == 0 or event[1] == "done":
                        break
        before = len(client.get(f"/v1/projects/{project}/deploys").json()["deploys"])
        got += whole(
            client, "POST", f"/v1/projects/{project}/deploy/stream", json={}, headers={"Last-Event-ID": got[-1][0]}
        )
        assert len(client.get(f"/v1/projects/{project}/deploys").json()["deploys"]) == before, "it joined"
    return got


def test_a_plan_names_everything_and_changes_nothing(tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    repository = tmp_path / "repository"
    commit(repository, {**version("one"), "Procfile": "web: python main.py\nworker: python main.py\n"})
    project = shared.new_project(api, "planned", repository)
    api.post(f"/v1/projects/{project}/env", json={"vars": {"GREETING": "hi"}})

    def everything() -> dict[str, Any]:
        kinds = ("projects", "deploys", "builds", "workloads", "instances", "routes", "gitrefs", "scalings")
        return {kind: shared.records(kind) for kind in kinds}

    def seen(record: dict[str, Any]) -> bool:
        return bool(record.get("status", {}).get("observedGeneration") == record["metadata"]["generation"])

    def settled() -> bool:
        """Also what tests before this one have left: theirs are gone."""
        projects = shared.records("projects")
        here = all(seen(record) for record in [*projects, *shared.records("gitrefs")])
        return here and not any("deletionTimestamp" in project["metadata"] for project in projects)

    eventually(settled)
    before = everything()
    answer = api.post("/v1/deploy/plan", json={"projectId": project})
    assert answer.status_code == 200, answer.text
    plan = answer.json()
    assert everything() == before
    assert plan["runtime"] in ("python", "procfile")
    assert plan["build"]["steps"]
    assert {p["name"] for p in plan["processes"]} == {"web", "worker"}
    assert plan["resources"]["fits"] is True
    assert "GREETING" in plan["wiring"]["env"]
    assert plan["source"]["commit"]
