"""Where all share the machine's network: what is open with Landlock and without it, to the last port."""

import contextlib
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from cluster.sandbox.confinement import ABI_OF_SCOPES
from cluster.sandbox.landlock import kernel_abi
from tests.ports import free_port
from tests.system.platform import Platform, platform
from tests.system.projects import live_project
from tests.system.walls.customers import customers, shop
from tests.system.walls.hostile.probe import attempts
from tests.system.walls.smuggled import SERVING
from tests.system.walls.targets import baits, targets

OPEN: dict[str, dict[str, str]] = {
    "landlock": {"tcp": "allowed", "udp": "all"},
    "none": {"tcp": "all", "udp": "all", "abstract": "all", "steal": "shared"},
}
"""As SECURITY.md says it, by kind of the probe's attempts: all that this machine reaches itself; of it, the allowed
ports and its own; ports whose listener lets others of its user in. Whatever else the probe tries fails. In the fabric
nothing at all is open (test_escape.py)."""
_HARMLESS = {"tcp", "mptcp", "fast open", "udp", "abstract"}
"""What is tried from outside, too: the rest would do to this machine what it must not do."""
_NOTHING: dict[str, Any] = {
    **{kind: [] for kind in ("tcp", "disguised", "udp", "abstract", "paths", "listeners")},
    "pids_below": 0,
    "bait": {"pid": 0, "name": "nobody"},
}
Reached = set[tuple[str, str]]


@pytest.fixture(scope="module", params=list(OPEN))
def mode(request: pytest.FixtureRequest) -> str:
    if request.param == "landlock" and kernel_abi() < ABI_OF_SCOPES:
        pytest.skip("this kernel has no Landlock, or one without scopes")
    return str(request.param)


@pytest.fixture(scope="module")
def allowed() -> int:
    return free_port()


@pytest.fixture(scope="module")
def running(mode: str, allowed: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    environment = {"SETPOINT_NETWORK": "shared", "SETPOINT_ALLOW_PORTS": f"80,443,{allowed}"}
    if mode == "none":
        environment["SETPOINT_LANDLOCK"] = "0"
    with platform(tmp_path_factory.mktemp(mode) / "data", environment=environment) as started:
        yield started


@pytest.fixture(scope="module")
def api(running: Platform) -> Iterator[httpx.Client]:
    with running.api() as client:
        yield client


@pytest.fixture(scope="module")
def own_port(running: Platform, api: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> int:
    """Of the instance that tries."""
    repository = tmp_path_factory.mktemp("hostile") / "run"
    live_project(running, api, "hostile", repository, SERVING)
    return int(running.records("instances")[0]["status"]["address"].rpartition(":")[2])


def _inside(running: Platform, wanted: dict[str, Any]) -> Reached:
    url, host = f"http://127.0.0.1:{running.router_port}/", {"Host": running.host("hostile")}
    return _known(httpx.post(url, headers=host, json=wanted, timeout=120).json())


def _attempts(wanted: dict[str, Any]) -> list[tuple[str, Any, Callable[[], bool]]]:
    return list(attempts(wanted))  # type: ignore[no-untyped-call]


def _from_here(wanted: dict[str, Any]) -> list[list[Any]]:
    tried = [(kind, target, attempt) for kind, target, attempt in _attempts(wanted) if kind in _HARMLESS]
    with ThreadPoolExecutor(100) as pool:
        found = list(pool.map(lambda each: each[2](), tried))
    return [[kind, target] for (kind, target, _), reached in zip(tried, found, strict=True) if reached]


def _known(reached: list[list[Any]]) -> Reached:
    return {(kind, repr(list(target) if isinstance(target, list | tuple) else target)) for kind, target in reached}


def _expected(mode: str, here: list[list[Any]], ports: set[int]) -> Reached:
    """Of what this machine reaches by itself, what is open in this mode."""
    of = OPEN[mode]
    return _known([[kind, at] for kind, at in here if of.get(kind) == "all" or (kind in of and at[1] in ports)])


def test_what_is_reached_is_what_is_open(running: Platform, mode: str, own_port: int, allowed: int) -> None:
    with baits() as bait, _listening(allowed):
        everything = targets(running, bait, []) | {"listeners": []}
        # Others come and go on this machine meanwhile.
        before = _from_here(everything)
        reached = _inside(running, everything)
        after = _from_here(everything)
        assert bait.process.touched() == []
    ports = {80, 443, allowed, own_port}
    first, second = _expected(mode, before, ports), _expected(mode, after, ports)
    assert first & second <= reached <= first | second
    assert ("tcp", repr(["127.0.0.1", allowed])) in reached
    assert (("tcp", repr(["127.0.0.1", running.api_port])) in reached) == (mode == "none")
    by_ourselves = {kind for kind, _ in before}
    assert by_ourselves >= {"tcp", "udp", "abstract", "fast open"}, "the probe cannot reach what is open"


def test_whose_port_can_be_taken(running: Platform, mode: str, own_port: int) -> None:
    with shop() as bait:
        shared = [["127.0.0.1", running.router_port], list(bait)]
        asked = _NOTHING | {"listeners": [*shared, ["127.0.0.1", running.api_port]]}
        with customers([("127.0.0.1", port) for _, port in asked["listeners"]]):
            reached = _inside(running, asked)
    # Only who is the same user may listen beside: as root each project is another one.
    expected = shared if OPEN[mode].get("steal") == "shared" and os.geteuid() != 0 else []
    assert reached == {("steal", repr(place)) for place in expected}


def test_the_node_says_whether_ports_are_kept(running: Platform, mode: str) -> None:
    said = "\n".join(running.output)
    assert ("Landlock keeps each to its own TCP port and the allowed ones." in said) == (mode == "landlock")
    assert ("Nothing keeps them from the ports of others." in said) == (mode == "none")


@contextlib.contextmanager
def _listening(port: int) -> Iterator[None]:
    with socket.create_server(("127.0.0.1", port)):
        yield
