"""Nobody gets out of a run, with every wall standing; of builds see test_installers.py."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from cluster.fabric.addresses import GATEWAY
from tests.system.platform import Platform
from tests.system.projects import live_project
from tests.system.walls.hostile.processes import ATTEMPTS
from tests.system.walls.smuggled import SERVING
from tests.system.walls.watched import watched

SIBLINGS = ["tcp", [GATEWAY, 80]]
_ATTEMPTS: dict[str, Callable[[int], bool]] = ATTEMPTS


def test_from_a_run(shared: Platform, api: httpx.Client, everything: dict[str, Any], tmp_path: Path) -> None:
    live_project(shared, api, "escape", tmp_path / "run", SERVING)
    answer = httpx.post(
        f"http://127.0.0.1:{shared.router_port}/", headers={"Host": shared.host("escape")}, json=everything, timeout=120
    )
    assert answer.json() == [SIBLINGS], "where it asks for siblings, and is told 404 (see test_siblings.py)"
    assert len(everything["tcp"]) > 30
    assert everything["bait"]["pid"] < everything["pids_below"]


def test_without_walls_the_same_attempts_reach_a_process_which_notes_it() -> None:
    with watched("bait") as process:
        # The others take a kernel that lets one trace, and he who is traced stops.
        done = {kind for kind in ("look", "signal", "queue", "thread", "open") if _ATTEMPTS[kind](process.pid)}
        assert len(done) == 5
        assert "Urgent I/O condition" in process.touched()
