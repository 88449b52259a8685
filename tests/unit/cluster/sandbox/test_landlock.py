"""What a thread gives up before it starts a sandbox, by what a real kernel then allows inside."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.fabric.networks import FabricNetworks, find_networks
from cluster.sandbox.cell import OPEN, Cell
from cluster.sandbox.confinement import ABI_OF_SCOPES, Confinement, Rules, connecting, rules_of, serving
from cluster.sandbox.landlock import kernel_abi, restrict_this_thread
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.machine import interpreter_mounts, this_machine
from cluster.sandbox.processes import lock_free, wait_end
from cluster.sandbox.start import THREAD
from cluster.sandbox.view import Machine, Mount, View
from setpoint.run.node import base_python
from tests.ports import free_port
from tests.unit.cluster.eventually import eventually
from tests.unit.cluster.fabric.conftest import ROOT, WAYS, keeping

landlock = pytest.mark.skipif(kernel_abi() < ABI_OF_SCOPES, reason="this kernel has no Landlock, or one without scopes")
_TRY = """
import errno, json, socket, sys
def tried(act):
    with socket.socket() as s:
        try:
            act(s)
        except OSError as error:
            return errno.errorcode[error.errno]
        return "done"
binds, connects = json.loads(sys.argv[1])
print(json.dumps([
    [tried(lambda s: s.bind(("127.0.0.1", port))) for port in binds],
    [tried(lambda s: s.connect(("127.0.0.1", port))) for port in connects],
]))
"""
_OUTSIDE = """
import os, socket, sys
def tried(act):
    try:
        act()
    except OSError as error:
        return type(error).__name__
    return "done"
print(tried(lambda: os.kill(int(sys.argv[1]), 0)), tried(lambda: socket.socket(1).connect(chr(0) + sys.argv[2])))
"""
_STARTER = """
import os, sys
from pathlib import Path
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.machine import this_machine
from cluster.sandbox.processes import take_lock
from cluster.sandbox.view import View
channels = Channels(1, 2, None, take_lock(Path(sys.argv[1])))
spawn(View(), ["/bin/sh", "-c", "echo runs; exec sleep 1000"], this_machine(), channels)
sys.stdin.read()
"""


async def _said(command: list[str], view: View, cell: Cell = OPEN, machine: Machine | None = None) -> str:
    reading, writing = os.pipe()
    pid = spawn(view, command, machine or this_machine(), Channels(writing, writing), cell)
    os.close(writing)
    with os.fdopen(reading) as out:
        said = await asyncio.to_thread(out.read)
    assert await wait_end(pid) == 0, said
    return said


async def _tried(confinement: Confinement, binds: list[int], connects: list[int], machine: Machine) -> list[list[str]]:
    python = base_python()
    command = [str(python), "-c", _TRY, json.dumps([binds, connects])]
    said = await _said(command, View(interpreter_mounts(python)), Cell(confinement=confinement), machine)
    return [list(each) for each in json.loads(said)]


@pytest.mark.parametrize(
    ("abi", "alone", "among_others"),
    [
        (0, None, None),
        (3, None, None),
        (4, None, Rules(3, 0, ((1, 20000), (2, 443), (2, 20000)))),
        (6, Rules(0, 3, ()), Rules(3, 3, ((1, 20000), (2, 443), (2, 20000)))),
        (9, Rules(0, 3, ()), Rules(3, 3, ((1, 20000), (2, 443), (2, 20000)))),
    ],
)
def test_each_kernel_is_asked_for_what_it_has(abi: int, alone: Rules | None, among_others: Rules | None) -> None:
    assert rules_of(Confinement(), abi) == alone
    assert rules_of(serving(None, 20000, [443]), abi) == among_others


def test_more_ports_are_added_to_those_that_are_listed_and_to_all() -> None:
    assert connecting(None, [443]).reaching([8443]) == connecting(None, [443, 8443])
    assert Confinement().reaching([8443]) == Confinement()


@landlock
async def test_its_own_port_and_the_allowed_ones() -> None:
    with socket.create_server(("127.0.0.1", 0)) as open_one, socket.create_server(("127.0.0.1", 0)) as closed_one:
        allowed, other, own = open_one.getsockname()[1], closed_one.getsockname()[1], free_port()
        asked = ([own, free_port(), 0], [allowed, other])
        inside = await _tried(serving(None, own, [allowed]), *asked, this_machine())
        assert inside == [["done", "EACCES", "EACCES"], ["done", "EACCES"]]
        inside = await _tried(connecting(None, [allowed]), *asked, this_machine())
        assert inside == [["EACCES"] * 3, ["done", "EACCES"]]
        for confinement, machine in (
            (Confinement(), this_machine()),
            (serving(None, own, []), replace(this_machine(), landlock=0)),
        ):
            assert await _tried(confinement, *asked, machine) == [["done"] * 3, ["done"] * 2]
        with socket.create_server(("127.0.0.1", 0)), socket.create_connection(("127.0.0.1", other)):
            """Who started them is not confined."""


@landlock
def test_no_signal_and_no_abstract_socket_leads_out() -> None:
    name = f"setpoint-test-{os.getpid()}"
    said: list[str] = []

    def confined(rules: Rules | None) -> None:
        if rules:
            restrict_this_thread(rules)
        command = [sys.executable, "-c", _OUTSIDE, str(os.getpid()), name]
        said.append(subprocess.run(command, capture_output=True, text=True, close_fds=False).stdout.strip())

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{name}")
        listening.listen()
        for rules in (None, rules_of(Confinement(), kernel_abi())):
            thread = threading.Thread(target=confined, args=(rules,))
            thread.start()
            thread.join()
    assert said == ["done done", "PermissionError PermissionError"]


@landlock
@pytest.mark.parametrize("way", WAYS)
async def test_a_confined_one_goes_into_its_network(tmp_path: Path, way: str) -> None:
    with keeping(tmp_path / "fabric", way):
        networks = await find_networks(tmp_path / "fabric")
        assert isinstance(networks, FabricNetworks)
        for survives in (True, False):
            place = await networks.attach()
            script = "grep -c eth0 /proc/net/dev; ls /proc/self/fd | wc -l; cat /proc/1/status | grep NoNewPrivs"
            said = await _said(["/bin/sh", "-c", script], View(survives=survives), Cell(place.entry))
            assert said.split()[:2] == ["1", "4"], "its network, and no descriptor but its own"
            place.close()


@landlock
@pytest.mark.parametrize("survives", [True, False])
async def test_the_thread_stays_as_long_as_it_is_needed(tmp_path: Path, survives: bool) -> None:
    """What is to end with us would end with the thread that started it: to the kernel that is the parent."""
    reading, writing = os.pipe()
    (tmp_path / "app").mkdir()
    script = "echo runs; while [ ! -e /app/go ]; do sleep 0.02; done; exit 7"
    view = View((Mount(tmp_path / "app", "/app"),), survives=survives)
    pid = spawn(view, ["/bin/sh", "-c", script], this_machine(), Channels(writing, writing))
    os.close(writing)
    assert await asyncio.to_thread(os.read, reading, 10) == b"runs\n"
    os.close(reading)
    await eventually(lambda: _threads() == (0 if survives else 1))
    (tmp_path / "app" / "go").touch()
    assert await asyncio.wait_for(wait_end(pid), 20) == 7
    await eventually(lambda: _threads() == 0)


def _threads() -> int:
    return [thread.name for thread in threading.enumerate()].count(THREAD)


async def test_it_ends_with_its_starter(tmp_path: Path) -> None:
    starter = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _STARTER, str(tmp_path / "lock")),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert starter.stdout is not None
    assert await starter.stdout.readline() == b"runs\n"
    assert not lock_free(tmp_path / "lock")
    starter.kill()
    await starter.wait()
    await eventually(lambda: lock_free(tmp_path / "lock"))
