"""A project that fills its volume is stopped, alone, and its status says why; it comes back once there is room."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.load import Load
from tests.system.platform import Platform, eventually, platform
from tests.system.repositories import commit, lively

FILLER = """import os, time
for n in range(1000000):
    with open(f"/data/store/{n % 8}-{os.getpid()}-{n}", "wb") as file:
        file.write(os.urandom(4 << 20))
        file.flush()
        os.fsync(file.fileno())
"""
MANIFEST = """
apiVersion: setpoint.dev/v1
kind: Project
metadata: {{name: filler}}
spec:
  source: {{repository: {repository}, branch: main}}
  volumes: [{{name: store, mountPath: /data/store, sizeMiB: {size}}}]
"""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Platform]:
    with platform(tmp_path / "data", environment={"SETPOINT_DISK_QUOTA": "300M"}) as running:
        yield running


@pytest.mark.parametrize(("size", "remedy"), [(4096, "--disk-quota"), (50, "sizeMiB")])
def test_who_fills_the_disk_is_stopped_alone_and_told_why(
    small: Platform, tmp_path: Path, size: int, remedy: str
) -> None:
    commit(tmp_path / "neighbour", lively("neighbour"))
    manifest = MANIFEST.format(repository=tmp_path / "filler", size=size)
    commit(tmp_path / "filler", {"filler.py": FILLER, "Procfile": "worker: python filler.py\n"})
    with small.api() as api:
        neighbour = small.new_project(api, "neighbour", tmp_path / "neighbour")
        assert small.deploy(api, neighbour)["status"] == "live"
        with Load(small.router_port, small.host("neighbour"), new_each_second=20, kept=3) as load:
            small.kubectl("-n", "acc-main", "apply", "-f", "-", given=manifest)
            eventually(lambda: "DiskQuota" in _reasons(small), 60)
            assert remedy in eventually(lambda: _status(small).get("message", ""), 30)
            before = load.counts["new"]
            eventually(lambda: load.counts["new"] > before + 60, 30)
        assert load.failures == []
        (volume,) = (small.data_dir / "volumes").glob("*/store")
        taken = sum(path.stat().st_size for path in volume.iterdir())
        assert taken < 2 * 1024**3, "nobody waits until the disk is full"
        for path in volume.iterdir():
            path.unlink()
        eventually(lambda: "DiskQuota" not in _reasons(small), 60)


def _reasons(running: Platform) -> set[str]:
    found = [i for i in running.records("instances") if i["spec"]["workload"].startswith("filler")]
    return {
        condition.get("reason", "")
        for each in found
        for condition in each.get("status", {}).get("conditions", [])
        if condition["type"] == "Ready"
    }


def _status(running: Platform) -> dict[str, str]:
    """Of the project itself."""
    (found,) = [p for p in running.records("projects") if p["metadata"]["name"] == "filler"]
    return dict(found["status"])
