"""One project takes all it can get: the neighbour answers throughout, and nothing of the platform ends."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.system.load import Load
from tests.system.platform import Platform, eventually, platform
from tests.system.repositories import commit, lively

MIB = 1024 * 1024
HOGS = {
    "cpu": "import os\nfor _ in range(8):\n    if os.fork() == 0: break\nwhile True: pass",
    "forks": "import os, time\nwhile True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)",
    # Some hundred megabytes a second, and an end: a test that fails must not fill the disk.
    "log": "import sys, time\nfor _ in range(4000): sys.stdout.write(('x' * 1000 + '\\n') * 1000)\ntime.sleep(999)",
    "memory": "x = []\nwhile True: x.append(bytearray(b'y' * 1048576))",
    "files": (
        "n = 0\nwhile True:\n    n += 1\n    try:\n        with open(f'/tmp/{n}', 'wb') as f: f.write(b'z' * 4194304)\n"
        "    except OSError: pass"
    ),
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with platform(tmp_path_factory.mktemp("hogs") / "data") as started:
        yield started


@pytest.fixture(scope="module")
def client(running: Platform) -> Iterator[httpx.Client]:
    with running.api() as api:
        yield api


@pytest.fixture(scope="module")
def neighbour(running: Platform, client: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> str:
    repository = tmp_path_factory.mktemp("neighbour")
    commit(repository, lively("neighbour"))
    project = running.new_project(client, "neighbour", repository)
    assert running.deploy(client, project)["status"] == "live"
    return running.host("neighbour")


def _restarts(running: Platform) -> dict[str, int]:
    notes = (running.data_dir / "run").glob("*.json")
    found = {path.stem: json.loads(path.read_text()) for path in notes}
    return {part: note["restarts"] for part, note in found.items() if "restarts" in note}


def _used_bytes(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.stat().st_blocks * 512
    return total


@pytest.mark.parametrize("kind", HOGS)
def test_the_neighbour_answers_and_nothing_of_the_platform_ends(
    kind: str, running: Platform, client: httpx.Client, neighbour: str, tmp_path: Path
) -> None:
    commit(tmp_path / "hog", {"hog.py": HOGS[kind], "Procfile": "worker: python hog.py\n"})
    project = running.new_project(client, f"hog-{kind}", tmp_path / "hog")
    assert client.post(f"/v1/projects/{project}/deploy", json={}).status_code == 202

    def mine() -> list[str]:
        records = [each for each in running.records("instances") if each["spec"]["workload"].startswith(f"hog-{kind}")]
        return [
            condition.get("reason", "")
            for each in records
            for condition in each.get("status", {}).get("conditions", [])
            if condition["type"] == "Ready"
        ]

    limits = running.records("computenodes")[0]["status"]["limits"]
    eventually(lambda: set(mine()) & {"Running", "OutOfMemory"})
    with Load(running.router_port, neighbour, new_each_second=20, kept=3) as load:
        # Without control groups nobody counts temporary files as memory: they end at their own size.
        if kind == "memory" or (kind == "files" and limits == "full"):
            eventually(lambda: "OutOfMemory" in mine(), 20)
        eventually(lambda: load.counts["new"] > 100, 30)
    assert load.failures == []
    assert set(_restarts(running).values()) == {0}
    assert _used_bytes(running.data_dir / "nodes") < 100 * MIB
    client.delete(f"/v1/projects/{project}")
    eventually(lambda: not mine(), 30)
