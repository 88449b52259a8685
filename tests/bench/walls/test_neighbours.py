"""How long a neighbour's answers take (p99) beside each kind of hog, against the same when it is alone."""

from pathlib import Path

import httpx
import pytest

from tests.bench.report import report
from tests.system.held import Held, most
from tests.system.load import Load
from tests.system.platform import Platform, eventually, platform
from tests.system.walls.hogs import start_hog, start_neighbour, states_of
from tests.system.walls.test_hogs import CLIENTS

pytestmark = pytest.mark.bench
KINDS = ("cpu", "forks", "log", "memory", "files", "build", "connections")
REQUESTS = 600
BEGUN = {"Running", "OutOfMemory", "Exited", "CrashLoop"}


def p99_milliseconds(port: int, host: str) -> list[float]:
    """Three parts of the load, a figure each; the first requests, by which everything gets warm, do not count."""
    with Load(port, host, new_each_second=50, kept=0) as load:
        eventually(lambda: load.counts["new"] >= REQUESTS + 50, 60)
    assert load.failures == []
    took = [1000 * seconds for seconds in load.took[50:]]
    parts = [sorted(took[n::3]) for n in range(3)]
    return [part[int(len(part) * 0.99)] for part in parts]


def beside(running: Platform, api: httpx.Client, kind: str, folder: Path, host: str) -> list[float]:
    """While the hog of this kind is at it; it is gone afterwards."""
    project = start_hog(running, api, kind, folder)
    states = states_of(running, kind)
    if kind == "build":
        eventually(lambda: [b for b in running.records("builds") if b["status"].get("phase") == "building"], 60)
    else:
        eventually(lambda: set(states()) & BEGUN, 60)
    if kind == "connections":
        with Held(running.router_port, running.host("hog-connections"), most(10_000), CLIENTS):
            found = p99_milliseconds(running.router_port, host)
    else:
        found = p99_milliseconds(running.router_port, host)
    running.remove_projects({("acc-main", f"hog-{kind}")})
    eventually(lambda: api.get(f"/v1/projects/{project}").status_code == 404, 60)
    return found


def test_a_neighbours_p99_beside_each_hog(tmp_path: Path) -> None:
    with platform(tmp_path / "data") as running, running.api() as api:
        host = start_neighbour(running, api, tmp_path / "neighbour")
        # Alone before and after, as a machine that others share is not twice the same.
        before = p99_milliseconds(running.router_port, host)
        for kind in KINDS:
            disturbed = beside(running, api, kind, tmp_path / kind, host)
            after = p99_milliseconds(running.router_port, host)
            ratio = report(f"a neighbour's p99 beside a hog of kind {kind}", disturbed, before + after, "ms", "<= 2x")
            before = after
            assert ratio < 20, "far from the aim: something is wrong"
