"""What all parts of the platform use when nothing happens: the sum of PSS, one node, 100 projects that do not run."""

import json
import time
from pathlib import Path

import pytest

from setpoint.installation import Installation
from setpoint.processes import children_of, process_of, pss_bytes
from tests.bench.report import figure
from tests.system.platform import eventually, platform

pytestmark = pytest.mark.bench
PARTS = ("up", "apiserver", "fabric", "egress", "router", "node-1", "scheduler", "controller", "api")
MIB = 1024 * 1024


def test_idle_memory_with_a_hundred_projects(tmp_path: Path) -> None:
    with platform(tmp_path / "data") as running, running.api() as api:
        for number in range(100):
            assert api.post("/v1/projects", json={"name": f"idle-{number}"}).status_code == 201
        eventually(lambda: len([p for p in running.records("projects") if p["status"].get("phase")]) == 100)
        time.sleep(10)
        installation = Installation(running.data_dir)
        pids = {name: process.pid for name in PARTS if (process := process_of(installation, name))}
        assert len(pids) == len(PARTS)
        used = {name: pss_bytes(pid) for name, pid in pids.items()}
        used["haproxy"] = sum(pss_bytes(pid) for pid in _haproxies(running.data_dir))
        print("\n" + ", ".join(f"{name} {value / MIB:.1f}" for name, value in used.items()))
        total = sum(used.values()) / MIB
        figure("idle memory of all parts, 100 projects", total, "MiB", "<= 250 MiB")
        assert total < 400, "far from the aim: something is wrong"


def _haproxies(data_dir: Path) -> list[int]:
    """The router's and the way out's, each with its worker."""
    masters = [int(json.loads(path.read_text())["pid"]) for path in data_dir.glob("*/haproxy.json")]
    return [pid for master in masters for pid in (master, *children_of(master))]
