"""Setpoint as an ordinary user's service of the real systemd, from `install` on, with limits that act.

How it goes on after a reboot is `test_rebooted.py`."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.limits.delegation import PLATFORM
from setpoint.service.unit import unit_name
from tests.machine.inside.people import Person, new_person, output
from tests.system.platform import Platform, eventually
from tests.system.repositories import commit

pytestmark = [pytest.mark.machine, pytest.mark.timeout(900)]
# Far more than it takes: the machine is slow, and others may use the one that it runs on.
PATIENCE = 500.0
ADA = Person("setpoint-ada", Path("/home/setpoint-ada"))
HOG = """
import time
print("begin", flush=True)
kept = []
while True:
    kept.append(bytearray(b"x" * (1 << 20)))
"""


@pytest.fixture(scope="module")
def ada() -> Person:
    """On a server without polkit: what is only root's to change she cannot even ask for."""
    output("systemctl", "mask", "--runtime", "--now", "polkit.service")
    new_person(ADA)
    return ADA


@pytest.fixture(scope="module")
def running(ada: Person) -> Iterator[Platform]:
    """Installed by her, who has logged out since."""
    here = Platform(ada.home / "data")
    refused = install(ada, here)
    assert refused.returncode == 1, refused.stdout + refused.stderr
    remedy = f"sudo loginctl enable-linger {ada.name}"
    assert remedy in refused.stderr
    output(*remedy.split()[1:])
    done = install(ada, here)
    assert done.returncode == 0, done.stdout + done.stderr
    try:
        eventually(lambda: "Served:" in journal(ada), PATIENCE, every=2)
        yield here
    finally:
        print(journal(ada))


def install(ada: Person, here: Platform) -> subprocess.CompletedProcess[str]:
    ports = [f"--api-port={here.api_port}", f"--router-port={here.router_port}"]
    return ada.setpoint("service", "install", f"--data-dir={here.data_dir}", *ports)


def journal(ada: Person) -> str:
    """What it said since the boot, and what the user's systemd said of it."""
    return output("journalctl", f"_UID={output('id', '-u', ada.name).strip()}", "-b", "-o", "cat", "--no-pager")


def node(here: Platform) -> dict[str, Any]:
    return dict(here.records("computenodes")[0]["status"])


def test_it_says_that_limits_are_full_and_keeps_the_key_to_itself(ada: Person, running: Platform) -> None:
    said = journal(ada)
    assert "limits: full" in said
    assert "A wall is missing. Processes" not in said
    assert running.credentials["apiKey"] not in said
    assert node(running)["limits"] == "full"
    assert {"type": "Limits", "status": "True"}.items() <= condition(running, "Limits").items()
    (leaf,) = Path("/sys/fs/cgroup/user.slice").rglob(PLATFORM)
    assert (leaf / "cpu.weight").read_text().strip() == "10000", "among as many instances as there are"


def condition(here: Platform, kind: str) -> dict[str, Any]:
    return next(each for each in node(here)["conditions"] if each["type"] == kind)


def test_it_runs_on_after_logout(ada: Person, running: Platform) -> None:
    eventually(lambda: "State=lingering" in output("loginctl", "show-user", ada.name), PATIENCE)
    assert running.get("hello").status_code == 200
    done = ada.setpoint("status", f"--data-dir={running.data_dir}")
    assert done.returncode == 0, done.stdout + done.stderr
    shown = ada.setpoint("service", "status", f"--data-dir={running.data_dir}")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "active (running)" in shown.stdout


def test_the_kernel_ends_a_hog_alone_and_its_record_says_why(ada: Person, running: Platform, tmp_path: Path) -> None:
    repository = ada.home / "hog"
    commit(repository, {"Procfile": "worker: python3 main.py\n", "main.py": HOG})
    ada.owns(repository)
    parts = {part: running.pid(part) for part in ("up", "node-1", "router")}
    with running.api() as api:
        project = running.new_project(api, "hog", repository)
        api.post(f"/v1/projects/{project}/deploy", json={}).raise_for_status()
        eventually(lambda: [one for one in instances(running, "hog") if is_out_of_memory(one)], PATIENCE, every=1)
    unit = re.escape(unit_name(running.data_dir))
    group = rf"oom_memcg=/user\.slice/\S+/{unit}/setpoint-[0-9a-f]+\+node-1\+"
    assert re.search(group, output("dmesg")), "the kernel did it, in the group that systemd gave to the unit"
    assert running.get("hello").status_code == 200
    assert {part: running.pid(part) for part in parts} == parts
    with running.api() as api:
        api.delete(f"/v1/projects/{project}").raise_for_status()


def instances(here: Platform, project: str) -> list[dict[str, Any]]:
    return [one for one in here.records("instances") if project in one["spec"]["workload"]]


def is_out_of_memory(instance: dict[str, Any]) -> bool:
    status = instance.get("status", {})
    return status.get("reason") == "OutOfMemory" and "memory" in status.get("message", "")
