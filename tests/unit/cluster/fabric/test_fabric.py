"""The fabric with a real kernel: who reaches whom, what outlives whom, what is left at the end."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cluster.fabric import namespaces
from cluster.fabric.addresses import GATEWAY, PAIRS, instance_address, pair
from cluster.fabric.client import Keeper, NoAnswer
from cluster.fabric.entry import Entry, inside
from cluster.fabric.networks import FabricNetworks, SharedNetwork, endpoint_of, find_networks
from tests.unit.cluster.fabric.conftest import keeping

_ECHO = """
import socket, sys
listener = socket.create_server(("0.0.0.0", int(sys.argv[1])))
print("ready", flush=True)
while True:
    c, _ = listener.accept()
    c.sendall(sys.argv[2].encode())
    c.close()
"""
_TRY = """
import socket, sys
for word in sys.argv[1:]:
    host, port = word.split(":")
    s = socket.socket()
    s.settimeout(1)
    try:
        s.connect((host, int(port)))
        print(s.recv(100).decode() or "closed")
    except OSError as error:
        print("refused" if isinstance(error, ConnectionRefusedError) else "unreachable")
"""


class Program:
    """Python code that runs behind an entry."""

    def __init__(self, entry: Entry | None, code: str, *arguments: str):
        command = inside(entry, [sys.executable, "-c", code, *arguments])
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def lines(self) -> list[str]:
        return self.process.communicate(timeout=30)[0].split()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


async def _reached(keeper: Keeper, address: str) -> str:
    networks = await find_networks(keeper._folder)
    with await networks.connect(address) as connection:
        return (await asyncio.get_running_loop().sock_recv(connection, 100)).decode()


async def test_an_instance_is_reached_from_outside_by_the_keepers_sockets_only(keeper: Keeper) -> None:
    address, entry = await keeper.attach("run")
    host, port = endpoint_of(address)
    server = Program(entry, _ECHO, str(port), "hello")
    try:
        assert server.line() == "ready"
        entry.close()
        assert await _reached(keeper, address) == "hello"
        assert Program(None, _TRY, address).lines() != ["hello"]
        assert instance_address(host)
    finally:
        server.end()


async def test_neighbours_and_the_machine_are_not_reached(keeper: Keeper) -> None:
    """There is nothing at the way out here: what is led there is refused."""
    here = Program(None, _ECHO, "0", "machine")
    address, entry = await keeper.attach("run")
    port = endpoint_of(address)[1]
    server = Program(entry, _ECHO, str(port), "neighbour")
    other, mine = await keeper.attach("run")
    try:
        assert server.line() == "ready"
        own = endpoint_of(other)[0]
        gateway = str(pair("run", 0).outer)
        tries = [
            address,
            f"127.0.0.1:{port}",
            f"{GATEWAY}:{port}",
            f"{own}:{port}",
            "169.254.169.254:80",
            gateway + ":1",
        ]
        assert set(Program(mine, _TRY, *tries).lines()) <= {"refused", "unreachable"}
    finally:
        entry.close()
        mine.close()
        server.end()
        here.end()


async def test_a_keeper_that_is_killed_finds_the_fabric_again(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "fabric"
    keeper = Keeper(folder)
    with keeping(folder, way) as first:
        before = await keeper.describe()
        address, entry = await keeper.attach("run")
        # The router's HAProxy is such a process inside.
        holder = Program(await keeper.entry(), "print('in', flush=True); import time; time.sleep(600)")
        assert holder.line() == "in"
        server = Program(entry, _ECHO, str(endpoint_of(address)[1]), "still here")
        assert server.line() == "ready"
        entry.close()
        first.send_signal(signal.SIGKILL)
        await keeper.until_gone()
    try:
        with keeping(folder, way):
            assert await _described(keeper) == before
            assert await _reached(keeper, address) == "still here"
            again, more = await keeper.attach("run")
            more.close()
            assert again != address
    finally:
        holder.end()
        server.end()


async def _described(keeper: Keeper) -> object:
    """By a keeper that may only just begin: the socket's file of the one before is still there."""
    async with asyncio.timeout(20):
        return await keeper.describe()


async def test_nothing_is_left_when_the_last_process_of_a_fabric_has_ended(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "fabric"
    keeper = Keeper(folder)
    with keeping(folder, way):
        first = await keeper.describe()
        number = int((folder / "network").read_text().split()[0])
        for _ in range(20):
            (await keeper.attach("build"))[1].close()
        assert namespaces.find_process_in(number, GATEWAY) is not None
    assert namespaces.find_process_in(number, GATEWAY) is None
    with keeping(folder, way):
        assert await _described(keeper) != first


async def test_wires_go_with_the_networks_that_they_lead_to(keeper: Keeper) -> None:
    for _ in range(50):
        (await keeper.attach("run"))[1].close()
    async with asyncio.timeout(20):
        while len(_links(await keeper.entry())) > 1:
            await asyncio.sleep(0.05)


def _links(entry: Entry) -> list[str]:
    with entry:
        return _said(entry, "cat", "/proc/net/dev").splitlines()[2:]


def _said(entry: Entry, *command: str) -> str:
    return subprocess.run(inside(entry, [*command]), capture_output=True, text=True, check=True).stdout


async def test_what_runs_inside_cannot_hold_a_way_to_elsewhere(keeper: Keeper) -> None:
    _, entry = await keeper.attach("run")
    with entry:
        held = _said(entry, "ls", "-l", "/proc/self/fd")
    assert "pipe:" in held
    assert "net:" not in held
    assert "user:" not in held


async def test_bad_questions_are_answered_by_a_sentence(keeper: Keeper) -> None:
    with pytest.raises(NoAnswer, match="no 'nonsense'"):
        await keeper._ask("nonsense")


async def test_without_a_keeper_there_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NoAnswer):
        await Keeper(tmp_path).entry()
    await Keeper(tmp_path).until_gone()


async def test_networks_are_as_the_keeper_says(keeper: Keeper) -> None:
    networks = await find_networks(keeper._folder)
    assert isinstance(networks, FabricNetworks)
    place = await networks.attach()
    assert place.entry is not None
    place.close()
    room = await networks.room()
    assert room is not None
    room.close()


def test_addresses_of_runs_and_builds_never_meet() -> None:
    runs = {pair("run", n).inner for n in (0, 1, PAIRS - 1)} | {pair("run", n).outer for n in (0, 1, PAIRS - 1)}
    builds = {pair("build", n).inner for n in (0, 1, PAIRS - 1)} | {pair("build", n).outer for n in (0, 1, PAIRS - 1)}
    assert len(runs) == len(builds) == 6
    assert not runs & builds
    assert all(each.startswith("198.18.") for each in runs)
    assert all(each.startswith("198.19.") for each in builds)
    assert pair("run", PAIRS) == pair("run", 0)
    assert not instance_address("10.0.0.1")
    assert not instance_address("nonsense")
    assert not instance_address(GATEWAY)


@pytest.mark.parametrize(("missing", "remedy"), [("nsenter", "sudo apt-get install util-linux"), ("unshare", "")])
async def test_where_it_cannot_stand_it_says_why_and_all_share_one_network(
    tmp_path: Path, missing: str, remedy: str
) -> None:
    with keeping(tmp_path / "fabric", missing):
        networks = await find_networks(tmp_path / "fabric")
        assert isinstance(networks, SharedNetwork)
        assert networks.description.network == "shared"
        assert networks.description.reason
        assert remedy in networks.description.remedy
        place = await networks.attach()
        assert place.entry is None
        assert place.address.startswith("127.0.0.1:")
        assert await networks.room() is None
        assert await networks.entry() is None
