"""`setpoint up` as a new user meets it."""

import json
import re
import stat
import subprocess
import sys
from pathlib import Path

from tests.system.platform import ROOT, Platform, eventually, platform
from tests.system.repositories import commit, version


def test_first_start_serves_the_example_and_a_second_brings_it_back(tmp_path: Path) -> None:
    with platform(tmp_path / "data", example=True) as running:
        text = "\n".join(running.output)
        ready = re.search(r"ready \((\d+\.\d) s\)", text)
        assert ready, text
        assert float(ready[1]) <= 10, "5 s on a quiet machine; tests run beside others"
        credentials = running.credentials
        assert set(credentials) == {"apiUrl", "routerUrl", "apiKey", "accountId", "handle", "kubeconfig"}
        assert stat.S_IMODE((tmp_path / "data" / "credentials.json").stat().st_mode) == 0o600
        assert credentials["apiKey"] in text
        assert re.search(r"Served: +curl http://hello--main\.localhost:\d+/", text)
        for word in ("sandbox", "network", "limits", "build", "start", "check", "switch"):
            assert word in text
        assert running.get("hello").status_code == 200
        assert running.stop() == 0
        running.start()
        assert credentials["apiKey"] not in "\n".join(running.output[-20:]), "the key is shown once"
        eventually(lambda: running.get("hello").status_code == 200)


def test_two_installations_side_by_side(tmp_path: Path, shared: Platform) -> None:
    with platform(tmp_path / "other") as other:
        assert other.credentials["apiKey"] != shared.credentials["apiKey"]
        with other.api() as api:
            assert api.get("/v1/projects").json()["projects"] == []
        with shared.api(headers={"Authorization": f"Bearer {other.credentials['apiKey']}"}) as stranger:
            assert stranger.get("/v1/projects").status_code == 401


def test_a_second_up_on_the_same_folder_says_so(shared: Platform) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "setpoint", "up", "--data-dir", str(shared.data_dir)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert "already runs" in done.stdout


def test_a_wrong_setting_is_a_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "setpoint", "up", "--data-dir", str(tmp_path), "--nodes", "many"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2
    assert "--nodes must be a number from 1 to 64" in done.stderr


def test_status_shows_every_part(shared: Platform) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "setpoint", "status", "--data-dir", str(shared.data_dir)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stdout
    for part in ("apiserver", "router", "node-1", "scheduler", "controller", "api", "haproxy", "total", "loop:"):
        assert part in done.stdout


def test_a_part_that_dies_comes_back_and_up_says_so(tmp_path: Path) -> None:
    with platform(tmp_path / "data") as running:
        old = running.kill("scheduler")
        running.read_until("scheduler ended (signal SIGKILL)")
        eventually(lambda: running.pid("scheduler") != old)
        state = json.loads((running.data_dir / "run" / "scheduler.json").read_text())
        assert state["restarts"] == 1


def test_a_killed_up_takes_nothing_down_and_the_next_adopts_all(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    commit(repository, version("steady"))
    with platform(tmp_path / "data") as running:
        with running.api() as api:
            running.deploy(api, running.new_project(api, "steady", repository))
        parts = ("apiserver", "router", "node-1", "scheduler", "controller", "api")
        before = {part: running.pid(part) for part in parts}
        assert running.process is not None
        running.process.kill()
        running.process.wait()
        assert running.process.stdout is not None
        running.process.stdout.close()
        assert running.get("steady").text.strip() == "steady"
        running.start()
        assert {part: running.pid(part) for part in parts} == before
        assert "was still running" in "\n".join(running.output)
        assert running.get("steady").text.strip() == "steady"


def test_up_stops_everything_also_when_nobody_reads_what_it_says(tmp_path: Path) -> None:
    running = Platform(tmp_path / "data").start()
    assert running.process is not None
    assert running.process.stdout is not None
    parts = [running.pid(part) for part in ("apiserver", "fabric", "router", "node-1", "api")]
    running.process.stdout.close()
    running.process.terminate()
    assert running.process.wait(60) == 0
    assert not [pid for pid in parts if Path(f"/proc/{pid}").exists()]


def test_each_part_by_itself_and_up_takes_them_over(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    commit(repository, version("alone"))
    running = Platform(tmp_path / "data").start()
    assert running.stop() == 0
    base = [sys.executable, "-m", "setpoint"]
    folder = ["--data-dir", str(running.data_dir)]
    roles = ("apiserver", "fabric", "egress", "router", "node", "scheduler", "controller", "api")
    parts = [subprocess.Popen([*base, role, *folder], cwd=ROOT, stderr=subprocess.DEVNULL) for role in roles]
    try:
        with running.api() as client:
            eventually(lambda: client.get("/v1/projects").status_code == 200)
            assert running.deploy(client, running.new_project(client, "alone", repository))["status"] == "live"
        eventually(lambda: running.get("alone").text.strip() == "alone")
        shown = subprocess.run([*base, "status", *folder], cwd=ROOT, capture_output=True, text=True, timeout=60).stdout
        for part, role in zip(parts, roles, strict=True):
            name = "node-1" if role == "node" else role
            assert re.search(rf"^{name} +{part.pid} ", shown, re.MULTILINE), shown
        again = subprocess.run([*base, "node", *folder], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert again.returncode == 1
        assert "node-1 runs already" in again.stderr
        running.start()
        assert sum("was still running" in line for line in running.output) == len(parts)
        assert running.get("alone").text.strip() == "alone"
        assert running.stop() == 0
    finally:
        for part in parts:
            part.terminate()
            part.wait(20)


def test_the_example_can_be_left_out_by_a_variable(tmp_path: Path) -> None:
    with platform(tmp_path / "data", example=True, environment={"SETPOINT_EXAMPLE": "0"}) as running:
        assert "Served" not in "\n".join(running.output)
        with running.api() as api:
            assert api.get("/v1/projects").json()["projects"] == []


_LATE = """
import asyncio
import setpoint.run.controller as controller
from setpoint.cli import main

run = controller.run

async def late(*arguments):
    await asyncio.sleep(3)
    await run(*arguments)

controller.run = late
raise SystemExit(main())
"""


def test_it_is_ready_when_a_project_can_be_made(tmp_path: Path) -> None:
    """However late the controller sets up the first account."""
    with platform(tmp_path / "data", program=("-c", _LATE)) as running, running.api() as client:
        made = client.post("/v1/projects", json={"name": "first"})
        assert made.status_code == 201, made.text
