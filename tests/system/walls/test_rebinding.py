"""A name that leads to the internet at first, and inside when it is asked again: a project reaches nothing by it."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from cluster.fabric.addresses import GATEWAY, HOST_LOOPBACK
from tests.system.platform import Platform, eventually, platform
from tests.system.walls.giving import Giver, allow, ask, start_caller
from tests.unit.cluster.egress.nameserver import NameServer, name_server

_PROGRAM = """
import functools, pathlib, sys
from setpoint.run import egress
resolv_conf, port = sys.argv[1:3]
del sys.argv[1:3]
given = {"resolv_conf": pathlib.Path(resolv_conf), "names_port": int(port)}
egress.EgressConfig = functools.partial(egress.EgressConfig, **given)
from setpoint.cli import main
sys.exit(main())
"""
"""All of `setpoint`, on a machine whose name server is ours: nobody but root could have one where it is asked for."""
_PUBLIC = "203.0.113.7"
"""Of a network for documentation: to the policy it is of the internet, and nobody is there."""
_DENIED = ["127.0.0.1", "169.254.169.254", "10.0.0.1", GATEWAY, HOST_LOOPBACK]


@contextlib.contextmanager
def _asked(names: Mapping[str, str | Sequence[str]]) -> Iterator[tuple[NameServer, int]]:
    """A name server in a thread of its own, and its port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    serving = name_server(names)
    try:
        yield asyncio.run_coroutine_threadsafe(serving.__aenter__(), loop).result(10)
        asyncio.run_coroutine_threadsafe(serving.__aexit__(None, None, None), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def turns(giver: Giver) -> dict[str, list[str]]:
    """What each name leads to: first to whom all may reach, from then on to whom nobody may (alone, or beside)."""
    later = [*_DENIED, f"{giver.host} 127.0.0.1"]
    return {f"turns-{number}.test.": [giver.host, address] for number, address in enumerate(later)}


@pytest.fixture
def names(turns: dict[str, list[str]], giver: Giver) -> Iterator[tuple[NameServer, int]]:
    with _asked({**turns, "moves.test.": [_PUBLIC, giver.host]}) as asked:
        yield asked


@pytest.fixture
def running(names: tuple[NameServer, int], tmp_path: Path) -> Iterator[Platform]:
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.1\n")
    program = ("-c", _PROGRAM, str(tmp_path / "resolv.conf"), str(names[1]))
    with platform(tmp_path / "data", program=program) as started:
        yield started


def test_a_name_that_turns_inside_leads_nowhere(
    running: Platform, names: tuple[NameServer, int], turns: dict[str, list[str]], giver: Giver, tmp_path: Path
) -> None:
    with running.api() as api:
        start_caller(running, api, tmp_path / "caller")
    assert ask(running, "moves.test.", giver.port, 10) != "gaierror", "it leads to the internet still"
    assert ask(running, "moves.test.", giver.port, 10) == "gaierror"
    assert not ask(running, giver.host, giver.port, 10).isdigit(), "nor by whoever remembers the address"
    assert giver.reached == []
    allow(running, f"{giver.host}/32")
    eventually(lambda: ask(running, "moves.test.", giver.port, 10) == "10")
    for name in turns:
        assert ask(running, name, giver.port, 10) == "10"
        assert ask(running, name, giver.port, 10) == "gaierror"
        assert names[0].asked.count(name) >= 2, "it was asked for again, and its answer kept back"
    for address in _DENIED:
        assert not ask(running, address, giver.port, 10).isdigit()
    assert set(giver.reached) == {giver.host}
