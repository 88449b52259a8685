"""Logs, figures and instances of a running project, from where they arise."""

import json
from pathlib import Path

import httpx

from tests.system.platform import Platform, eventually
from tests.system.projects import live_project
from tests.system.repositories import version

SPEAKING = version("spoken")["main.py"].replace(
    "    def do_GET(self):\n",
    "    def do_GET(self):\n        print('asked for', self.path, flush=True)\n"
    "        print('a complaint', file=sys.stderr, flush=True)\n",
)


def test_logs_figures_and_instances(tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    repository = tmp_path / "repository"
    project = live_project(shared, api, "spoken", repository, {"main.py": SPEAKING})
    for number in range(20):
        assert shared.get("spoken", f"/page-{number}").status_code == 200

    def told() -> bool:
        lines = api.get(f"/v1/projects/{project}/logs", params={"since": "5m", "limit": 500}).json()["lines"]
        words = [line["line"] for line in lines]
        return all(f"asked for /page-{number}" in words for number in range(20))

    eventually(told)
    lines = api.get(f"/v1/projects/{project}/logs", params={"limit": 5}).json()["lines"]
    assert len(lines) == 5
    assert {"at", "instance", "process", "stream", "line"} <= set(lines[0])
    assert {line["stream"] for line in lines} <= {"stdout", "stderr", "system"}
    assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)
    _follows(shared, api, project)

    def counted() -> bool:
        seen = api.get(f"/v1/projects/{project}/metrics").json()
        return bool(seen["requests"]["total"] >= 20 and seen["memory"]["bytes"] > 1_000_000)

    eventually(counted, 40)
    seen = api.get(f"/v1/projects/{project}/metrics").json()
    assert seen["requests"]["p50Ms"] is not None
    assert seen["memory"]["limit"] == 128 * 1024 * 1024
    (instance,) = api.get(f"/v1/projects/{project}/instances").json()["instances"]
    assert instance["status"] == "running"
    assert instance["node"] == "node-1"
    assert instance["process"] == "web"
    assert instance["restarts"] == 0


def _follows(shared: Platform, api: httpx.Client, project: str) -> None:
    """A follower sees what is written after it came."""
    with api.stream("GET", f"/v1/projects/{project}/logs", headers={"Accept": "text/event-stream"}) as answer:
        assert answer.status_code == 200
        asked = False
        for line in answer.iter_lines():
            if not asked:
                asked = True
                shared.get("spoken", "/followed")
            if line.startswith("data:") and json.loads(line[5:]).get("line") == "asked for /followed":
                return
    raise AssertionError("the stream ended without the line")
