"""One project takes all it can get: the neighbour answers throughout, and nothing of the platform ends."""

import contextlib
import json
import os
from pathlib import Path

import httpx
import pytest

from cluster.limits.idle import gives_way
from cluster.limits.sessions import shared_by_session
from tests.system.held import Held, most
from tests.system.load import Load
from tests.system.platform import Platform, eventually
from tests.system.walls.hogs import start_hog, start_neighbour, states_of, told_of

MIB = 1024 * 1024
CLIENTS = tuple(f"127.0.0.{number}" for number in range(2, 6))


@pytest.fixture(scope="module")
def neighbour(running: Platform, client: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> str:
    return start_neighbour(running, client, tmp_path_factory.mktemp("neighbour"))


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


def _leave(running: Platform, client: httpx.Client, project: str, kind: str) -> None:
    client.delete(f"/v1/projects/{project}")
    eventually(lambda: not states_of(running, kind)(), 30)


SAID = {
    "cpu": "It computes all the time: it runs while nobody else wants the CPU.",
    "partial cpu": "It computes all the time, and nothing here makes it give way to others.",
    "forks": "It has as many processes and threads as it may have: it cannot start more.",
    "log": "It writes more output than can be kept: what is too much is dropped.",
    "memory": "It used more memory than its size allows.",
}


@pytest.mark.parametrize("kind", ["cpu", "forks", "log", "memory", "files"])
def test_the_neighbour_answers_and_nothing_of_the_platform_ends(
    kind: str, running: Platform, client: httpx.Client, neighbour: str, tmp_path: Path
) -> None:
    project = start_hog(running, client, kind, tmp_path / "hog")
    states = states_of(running, kind)
    limits = running.records("computenodes")[0]["status"]["limits"]
    giving = gives_way(os.uname().release) if limits == "full" else shared_by_session()
    eventually(lambda: set(states()) & {"Running", "TooManyProcesses", "OutOfMemory"})
    with Load(running.router_port, neighbour, new_each_second=40, kept=3) as load:
        # Without control groups nobody counts temporary files as memory: they end at their own size.
        if kind == "memory" or (kind == "files" and limits == "full"):
            eventually(lambda: "OutOfMemory" in states(), 20)
        eventually(lambda: load.counts["new"] > 100, 30)
    assert load.failures == []
    assert set(_restarts(running).values()) == {0}
    if kind in SAID:
        # A bomb is held by what it meets first: beside others who compute it gets no core to become a thousand, and a
        # thousand are also much memory.
        own = {SAID["partial cpu"] if kind == "cpu" and not giving else SAID[kind]}
        says = set(SAID.values()) - {SAID["log"]} if kind == "forks" else own

        def told() -> bool:
            """With what it says instead, should it not."""
            found = told_of(running, f"hog-{kind}")
            assert found[1] in says, found
            return True

        eventually(told, 60)
    # A flood may be ahead for as long as the agent gets no core; it does not stay ahead while it goes on.
    eventually(lambda: _used_bytes(running.data_dir / "nodes") < 100 * MIB, 20)
    _leave(running, client, project, kind)


def test_a_project_says_what_is_wrong_with_a_worker_while_its_pages_are_well(
    running: Platform, client: httpx.Client, tmp_path: Path
) -> None:
    project = start_hog(running, client, "late", tmp_path / "hog")
    wrong = ("running", "It used more memory than its size allows.")
    eventually(lambda: told_of(running, "hog-late") == wrong, 40)
    (ready,) = client.get(f"/v1/projects/{project}").json()["conditions"]
    assert (ready["status"], ready["message"]) == ("True", wrong[1])
    _leave(running, client, project, "late")


def test_who_takes_the_share_of_many_sessions_is_ended_where_they_share_the_cpu(
    running: Platform, client: httpx.Client, tmp_path: Path
) -> None:
    project = start_hog(running, client, "sessions", tmp_path / "hog")
    limits = running.records("computenodes")[0]["status"]["limits"]
    if limits == "full":
        why = "GivesWay" if gives_way(os.uname().release) else "TooMuchCPU"
    else:
        why = "TooManySessions" if shared_by_session() else "TooMuchCPU"
    eventually(lambda: why in states_of(running, "sessions")(), 60)
    _leave(running, client, project, "sessions")


def test_ten_thousand_connections_held_open_leave_room_for_others(
    running: Platform, client: httpx.Client, neighbour: str, tmp_path: Path
) -> None:
    project = start_hog(running, client, "connections", tmp_path / "hog")
    eventually(lambda: states_of(running, "connections")() == ["Running"])
    with (
        Load(running.router_port, neighbour, new_each_second=40, kept=3) as load,
        Held(running.router_port, running.host("hog-connections"), most(10_000), CLIENTS) as held,
    ):
        # Some wait for what never comes; the others are told that this is as many as there may be.
        eventually(lambda: held.look().get("503", 0) > len(held.sockets) // 4, 20)
        before = load.counts["new"]
        eventually(lambda: load.counts["new"] > before + 120, 30)
        assert held.look()["open"] > 500
        eventually(lambda: "as many as one project may have" in told_of(running, "hog-connections")[1], 30)
    eventually(lambda: told_of(running, "hog-connections") == ("running", ""), 60)
    assert load.failures == []
    assert set(_restarts(running).values()) == {0}
    _leave(running, client, project, "connections")


def test_one_client_cannot_take_all_connections(running: Platform, client: httpx.Client, neighbour: str) -> None:
    with (
        Load(running.router_port, neighbour, new_each_second=40, kept=3) as load,
        Held(running.router_port, "nobody", most(10_000), CLIENTS[:1], head="{host}") as held,
    ):
        eventually(lambda: held.look()["closed"] > 0, 20)
        before = load.counts["new"]
        eventually(lambda: load.counts["new"] > before + 100, 30)
    assert load.failures == []


def test_a_build_that_never_ends_disturbs_nobody_and_can_be_cancelled(
    running: Platform, client: httpx.Client, neighbour: str, tmp_path: Path
) -> None:
    project = start_hog(running, client, "build", tmp_path / "hog")
    eventually(lambda: [b for b in running.records("builds") if b.get("status", {}).get("phase") == "building"], 60)
    with Load(running.router_port, neighbour, new_each_second=40, kept=3) as load:
        eventually(lambda: load.counts["new"] > 100, 30)
    assert load.failures == []
    (deploy,) = client.get(f"/v1/projects/{project}/deploys").json()["deploys"]
    assert client.post(f"/v1/projects/{project}/deploys/{deploy['id']}/cancel").status_code == 202
    eventually(lambda: not [b for b in running.records("builds") if b["status"].get("phase") == "building"], 30)
    assert set(_restarts(running).values()) == {0}
    _leave(running, client, project, "build")
