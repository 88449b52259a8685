"""kill -9 of each part in turn, under a deploy and under load: it converges, nothing is lost, nothing runs twice."""

import contextlib
import os
import signal
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.system.load import Load
from tests.system.platform import Platform, eventually, holders
from tests.system.projects import live_project
from tests.system.repositories import commit, lively, version


@pytest.fixture(scope="module")
def steady(running: Platform, client: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A project that answers throughout."""
    return live_project(running, client, "steady", tmp_path_factory.mktemp("steady"), lively("steady"))


def haproxy(running: Platform) -> list[int]:
    """HAProxy's processes (master and worker) of this installation: those that work in its folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink() == running.data_dir / "router" and b"haproxy" in (
                entry / "comm"
            ).read_bytes():
                found.append(int(entry.name))
    return found


def patient(client: httpx.Client, method: str, path: str, **more: object) -> httpx.Response:
    """A client that tries again while the platform says 503, or nothing at all."""

    def attempt() -> httpx.Response | None:
        answer = client.request(method, path, **more)  # type: ignore[arg-type]
        return answer if answer.status_code < 500 else None

    answer = eventually(attempt, 30)
    assert answer is not None
    return answer


@pytest.mark.parametrize(
    "part", ["apiserver", "fabric", "egress", "controller", "scheduler", "node-1", "router", "api"]
)
def test_under_a_deploy(part: str, running: Platform, client: httpx.Client, steady: str, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    name = f"kill-{part}"
    before = {**version("before"), "requirements.txt": "iniconfig==2.3.0\n"}
    project = live_project(running, client, name, repository, before)
    commit(repository, version("after"))
    with Load(running.router_port, running.host("steady"), new_each_second=20, kept=3, sockets=True) as load:
        begun = client.post(f"/v1/projects/{project}/deploy", json={})
        assert begun.status_code == 202
        time.sleep(0.15 if part != "node-1" else 0.05)  # somewhere in the middle of it; any moment must do
        old = running.kill(part)
        eventually(lambda: running.pid(part) != old, 10)
        deploy = begun.json()["deployId"]
        seen = eventually(
            lambda: (
                (d := patient(client, "GET", f"/v1/projects/{project}/deploys/{deploy}").json())["status"]
                in ("live", "failed")
                and d
            ),
            20,
        )
        assert seen
        assert seen["status"] == "live", seen["error"]
        eventually(lambda: running.get(name).text.strip() == "after", 20)
    assert load.failures == []
    _assert_nothing_twice(running)


def test_a_build_killed_in_the_middle_is_built_again(running: Platform, client: httpx.Client, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    lock = (
        '{"name": "slow", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": '
        '{"": {"name": "slow", "version": "1.0.0", "hasInstallScript": true}}}'
    )
    files = {
        "package.json": '{"name": "slow", "version": "1.0.0", "scripts": {"preinstall": "sleep 3", '
        '"start": "node server.js"}}',
        "package-lock.json": lock,
        "server.js": "const {HOST, PORT} = process.env; "
        "require('http').createServer((q, r) => r.end('built')).listen(PORT, HOST)",
    }
    commit(repository, files)
    project = running.new_project(client, "kill-build", repository)
    deploy = client.post(f"/v1/projects/{project}/deploy", json={}).json()["deployId"]
    caches = running.data_dir / "nodes" / "node-1" / "caches"

    def in_the_middle() -> list[int]:
        return [pid for lock in caches.glob("*/lock") for pid in holders(lock)] if _sleeping(3) else []

    for pid in eventually(in_the_middle, 30) or []:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    seen = running.deployed(client, project, deploy, 60)
    assert seen["status"] == "live", seen["error"]
    build = next(b for b in running.records("builds") if b["spec"]["project"] == "kill-build")
    assert build["status"]["attempt"] == 2


def _sleeping(seconds: int) -> bool:
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if entry.read_bytes() == f"sleep\0{seconds}\0".encode():
                return True
    return False


@pytest.mark.parametrize("which", ["worker", "all"])
def test_haproxy_itself_is_back_within_a_second(which: str, running: Platform, steady: str) -> None:
    assert running.get("steady").status_code == 200
    master, *workers = sorted(haproxy(running))
    assert workers
    for pid in [*workers, *([master] if which == "all" else [])]:
        with contextlib.suppress(ProcessLookupError):  # the master ends with its worker
            os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    eventually(lambda: running.get("steady").status_code == 200, 5.0, every=0.02)
    assert time.monotonic() - began < 2.0, "1 s on a quiet machine; tests run beside others"


def test_projects_answer_while_all_of_the_control_plane_is_dead(
    running: Platform, client: httpx.Client, steady: str
) -> None:
    with Load(running.router_port, running.host("steady"), sockets=True) as load:
        for part in ("api", "controller", "scheduler", "node-1", "router", "apiserver"):
            running.kill(part)
        eventually(lambda: client.get("/readyz").status_code == 200, 30)
        patient(client, "GET", f"/v1/projects/{steady}")
    assert load.failures == []
    _assert_nothing_twice(running)


def test_nothing_acknowledged_is_lost(running: Platform, client: httpx.Client) -> None:
    names = []
    for number in range(60):
        if number == 30:
            running.kill("apiserver")
        answer = None
        try:
            answer = client.post("/v1/projects", json={"name": f"kept-{number}"})
        except httpx.HTTPError:
            continue
        if answer.status_code == 201:
            names.append(f"kept-{number}")
    assert len(names) >= 30
    handle = running.credentials["handle"]
    for name in names:
        assert patient(client, "GET", f"/v1/projects/by-handle/{handle}/{name}").status_code == 200


def _assert_nothing_twice(running: Platform) -> None:
    """One sandbox for each instance record that runs, none without a record."""

    def once() -> bool:
        records = {i["metadata"]["uid"] for i in running.records("instances")}
        folders = list((running.data_dir / "nodes").glob("*/instances/*/lock"))
        runs = Counter(lock.parent.name for lock in folders if holders(lock))
        return set(runs) <= records and all(count == 1 for count in runs.values())

    eventually(once, 30)
