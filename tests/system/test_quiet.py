"""A quiet minute writes no record, with a hundred running instances."""

import json
import time
from pathlib import Path

import pytest

from tests.system.platform import Platform, eventually, platform
from tests.system.projects import live_project

MINUTE = 60


def versions(running: Platform) -> dict[str, str]:
    kinds = (
        "accounts,projects,scalings,domains,hostclaims,deploys,gitrefs,builds,workloads,routes,instances,computenodes"
    )
    names = ",".join(f"{kind}.setpoint.dev" for kind in kinds.split(","))
    items = json.loads(running.kubectl("get", names, "-A", "-o", "json"))["items"]
    return {f"{i['kind']} {i['metadata']['name']}": i["metadata"]["resourceVersion"] for i in items}


@pytest.mark.patient
def test_a_quiet_minute_writes_no_record(tmp_path: Path) -> None:
    with platform(tmp_path / "data", nodes=2) as running, running.api() as client:
        live_project(running, client, "many", tmp_path / "repository", {"Procfile": "worker: sleep 100000\n"})
        _make_room(running)
        running.kubectl("-n", "acc-main", "apply", "-f", "-", given=_SCALING)

        def all_run() -> bool:
            phases = [i["status"].get("phase") for i in running.records("instances")]
            return phases.count("running") == COUNT

        eventually(all_run, 120)
        eventually(lambda: settled(running), 60)
        before = versions(running)
        time.sleep(MINUTE)
        assert versions(running) == before


def settled(running: Platform) -> bool:
    """Nothing changes from one look to the next."""
    before = versions(running)
    time.sleep(3)
    return versions(running) == before


COUNT = 100
_SCALING = f"""
apiVersion: setpoint.dev/v1
kind: Scaling
metadata: {{name: many-worker}}
spec: {{project: many, process: worker, instances: {COUNT}, size: nano}}
"""


def _make_room(running: Platform) -> None:
    """What the machine has is what the nodes say; a test may say more for a hundred sleeping processes."""
    for node in ("node-1", "node-2"):
        running.kubectl(
            "patch", "computenode", node, "--type=merge", "--subresource=status",
            "-p", '{"status": {"allocatable": {"cpu": 64, "memoryBytes": 68719476736, "instances": 200}}}',
        )  # fmt: skip
