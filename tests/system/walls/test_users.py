"""Whose processes they are: as root each project has a user of its own, which nobody else has with no rights."""

import os
import re
from pathlib import Path

import httpx

from tests.system.platform import Platform, eventually
from tests.system.repositories import commit
from tests.system.walls.answering import answering

APP = """import os

with open("/data/store/written", "a") as file:
    file.write("x")
os.system("echo said by a shell > /dev/stderr")

def answer(path):
    said = "".join(open(name).read() for name in ("/proc/self/status", "/etc/passwd", "/etc/resolv.conf"))
    said += repr(os.stat("/data/store/written").st_uid == os.geteuid())
    return said + repr([name for name in os.listdir("/proc/self/fd") if int(name) > 5])
"""
NAMES = ("user-one", "user-two")
MANIFEST = """
apiVersion: setpoint.dev/v1
kind: Project
metadata: {{name: {name}}}
spec:
  source: {{repository: {repository}, branch: main}}
  volumes: [{{name: store, mountPath: /data/store}}]
"""


def running_as(shared: Platform, name: str) -> set[int]:
    """The users of its processes, as this machine sees them."""
    (found,) = [i for i in shared.records("instances") if i["spec"]["workload"].startswith(f"{name}-")]
    status = next((shared.data_dir / "nodes").glob(f"*/instances/{found['metadata']['uid']}/status"))
    reaper = re.search(r'"child-pid": *([0-9]+)', status.read_text())
    assert reaper
    children = Path(f"/proc/{reaper[1]}/task/{reaper[1]}/children").read_text().split()
    return {int(re.findall(r"Uid:\t([0-9]+)", Path(f"/proc/{pid}/status").read_text())[0]) for pid in children}


def seen(shared: Platform, api: httpx.Client, name: str) -> set[int]:
    """What the project tells of itself is held against what it should be; its users."""
    eventually(lambda: shared.get(name).status_code == 200, 60)
    told = shared.get(name).text
    for kind in ("Inh", "Prm", "Eff", "Amb"):
        assert f"Cap{kind}:\t0000000000000000" in told
    assert "app:x:" in told
    assert "nameserver" in told
    assert "NoNewPrivs:\t1" in told
    assert told.endswith("True[]"), told[-200:]
    project = next(p["id"] for p in api.get("/v1/projects").json()["projects"] if p["name"] == name)
    eventually(lambda: "said by a shell" in api.get(f"/v1/projects/{project}/logs").text, 20)
    return running_as(shared, name)


def test_each_project_has_a_user_of_its_own(shared: Platform, api: httpx.Client, tmp_path: Path) -> None:
    commit(tmp_path / "app", answering(APP))
    for name in NAMES:
        manifest = MANIFEST.format(name=name, repository=tmp_path / "app")
        shared.kubectl("-n", "acc-main", "apply", "-f", "-", given=manifest)
    users = [seen(shared, api, name) for name in NAMES]
    if os.geteuid() == 0:
        assert all(len(found) == 1 and min(found) > 1_000_000 for found in users), users
        assert users[0] != users[1]
    else:
        assert users == [{os.geteuid()}] * 2
