"""One instance takes all of the way out that it can get: its neighbour's questions and connections go on as before."""

import asyncio
import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace

from cluster.egress.config import EgressConfig
from cluster.fabric.addresses import GATEWAY
from cluster.fabric.client import Keeper
from cluster.fabric.entry import Entry, inside
from cluster.fabric.rules import CONNECTING
from tests.unit.cluster.egress.nameserver import name_server
from tests.unit.cluster.egress.stage import own_address, running, service, told, up

_LOOKUPS = 100
_CONNECTIONS = 50
_GRAIN = 0.03
"""For how long a busy machine leaves a process waiting."""
_LOOK_UP = f"""
import time, dns.message, dns.query
for _ in range({_LOOKUPS}):
    began = time.monotonic()
    dns.query.udp(dns.message.make_query("public.test.", "A"), "{GATEWAY}", timeout=5)
    print(time.monotonic() - began)
    time.sleep(0.01)
"""
"""Slower than anybody may."""
_FLOOD = f"""
import socket, time, dns.message
wire = dns.message.make_query("public.test.", "A").to_wire()
asking = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(8)]
for each in asking: each.connect(("{GATEWAY}", 53)); each.setblocking(False)
print("begins", flush=True)
while True:
    for each in asking * 3:
        try: each.send(wire)
        except OSError: pass
    time.sleep(0.001)
"""
"""Some ten thousand a second: it is not by taking the processor that it is to slow others."""


@contextlib.asynccontextmanager
async def working(entry: Entry, program: str, *arguments: str) -> AsyncIterator[None]:
    """Meanwhile, from its first line on."""
    command = inside(entry, [sys.executable, "-c", program, *arguments])
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    await process.stdout.readline()
    try:
        yield
    finally:
        process.kill()
        await process.wait()


_CONNECT = f"""
import socket, sys
connected = 0
for _ in range({_CONNECTIONS}):
    try:
        with socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as s:
            s.sendall(b"hello\\n")
            connected += s.recv(100) == b"echo hello\\n"
    except OSError: pass
print(connected)
"""
_TAKE_ALL = """
import errno, itertools, resource, select, socket, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
place, silent = (sys.argv[1], int(sys.argv[2])), ("192.0.2.1", 9)
held = []
for n in itertools.count():
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(silent if n % 4 == 0 else place)
    held.append(s)
    if len(held) > 6000: held.pop(0).close()
    if n == 20000: print("begins", flush=True)
    if n % 100 == 0: select.select([], [], [], 0.005)
"""
"""Half of what it opens stays as long as it can; some leads to where nobody ever answers (a network for
documentation)."""


async def test_who_takes_all_connections_leaves_the_neighbour_his(config: EgressConfig) -> None:
    keeper, own = Keeper(config.fabric), own_address()
    async with service("0.0.0.0") as port, running(replace(config, allow=(f"{own}/32",))):
        (await up(keeper, config)).close()
        _, hog = await keeper.attach("run")
        _, neighbour = await keeper.attach("run")
        with hog, neighbour:
            began = time.monotonic()
            async with working(hog, _TAKE_ALL, own, str(port)):
                assert await told(neighbour, _CONNECT, own, str(port)) == [str(_CONNECTIONS)]
                remembered = await _remembered(keeper)
            may = CONNECTING.at_once + CONNECTING.per_second * (time.monotonic() - began)
            assert CONNECTING.at_once / 2 < remembered < may + 2 * _CONNECTIONS


async def _remembered(keeper: Keeper) -> int:
    """Connections in the kernel's table."""
    with await keeper.entry() as entry:
        return int((await told(entry, "print(open('/proc/sys/net/netfilter/nf_conntrack_count').read().strip())"))[0])


async def test_who_floods_the_names_forwarder_slows_nobody_else(config: EgressConfig) -> None:
    keeper = Keeper(config.fabric)
    config.resolv_conf.write_text("nameserver 127.0.0.1\n")
    async with name_server({"public.test.": "1.2.3.4"}) as (_, port), running(replace(config, names_port=port)):
        (await up(keeper, config)).close()
        _, flooding = await keeper.attach("run")
        _, neighbour = await keeper.attach("run")
        with flooding, neighbour:
            quiet = [float(line) for line in await told(neighbour, _LOOK_UP)]
            async with working(flooding, _FLOOD):
                loud = [float(line) for line in await told(neighbour, _LOOK_UP)]
    print("ms", *(f"{1000 * each:.1f}" for each in (_p50(quiet), _p50(loud), _p99(quiet), _p99(loud))))
    assert len(loud) == _LOOKUPS, "each is answered at once, or the program ends"
    assert _p50(loud) < 5 * _p50(quiet) + _GRAIN
    assert _p99(loud) < 5 * _p99(quiet) + 10 * _GRAIN, "the flood's first moment is nobody's to prevent"


def _p50(times: list[float]) -> float:
    return statistics.median(times)


def _p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98]
