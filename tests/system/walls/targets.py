"""Everything on this machine that a tenant might try to reach."""

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster.egress.own_addresses import own_addresses
from cluster.fabric.addresses import GATEWAY, HOST_LOOPBACK
from tests.system.platform import Platform
from tests.system.walls.watched import Watched, watched

_LISTENS = "0A"


@dataclass(frozen=True)
class Baits:
    """`port`: where every address answers over UDP; `name`: of an abstract socket, and in the process' command."""

    port: int
    name: str
    process: Watched


def _ports(table: str, state: str) -> list[int]:
    rows = [line.split() for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    return sorted({int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == state})


def addresses() -> list[str]:
    """Of this machine, of every family."""
    six = [line.split() for line in Path("/proc/net/if_inet6").read_text().splitlines()]
    texts = [socket.inet_ntop(socket.AF_INET6, bytes.fromhex(row[0])) for row in six]
    return [str(address) for address in sorted(own_addresses())] + [text for text in texts if text[:4] != "fe80"]


@contextlib.contextmanager
def baits() -> Iterator[Baits]:
    name = f"setpoint-test-{os.getpid()}"
    with (
        socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as answering,
        socket.socket(socket.AF_UNIX) as hidden,
        watched(name) as process,
    ):
        answering.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        answering.bind(("::", 0))
        hidden.bind(f"\0{name}")
        hidden.listen()
        ended = threading.Event()
        thread = threading.Thread(target=_answer, args=(answering, ended))
        thread.start()
        try:
            yield Baits(answering.getsockname()[1], name, process)
        finally:
            ended.set()
            thread.join()


def _answer(answering: socket.socket, ended: threading.Event) -> None:
    answering.settimeout(0.1)
    while not ended.is_set():
        with contextlib.suppress(TimeoutError):
            answering.sendto(b"here", answering.recvfrom(100)[1])


def _highest_pid() -> int:
    """Of all processes and threads of this machine."""
    return max(int(path.name) for path in Path("/proc").glob("[0-9]*/task/[0-9]*"))


def targets(running: Platform, bait: Baits, neighbours: list[str]) -> dict[str, Any]:
    """As the probe reads them. `neighbours`: addresses (ip:port) of other instances."""
    inside = [GATEWAY, HOST_LOOPBACK, *(address.rpartition(":")[0] for address in neighbours)]
    hosts = [*addresses(), *inside]
    ports = sorted({*_ports("tcp", _LISTENS), *_ports("tcp6", _LISTENS), running.api_port, running.router_port, 8080})
    # What a process finds on its own loopback is its own.
    own = {("127.0.0.1", 8080), ("::1", 8080)}
    metadata = [["169.254.169.254", 80], ["169.254.169.254", 8080], ["fd00:ec2::254", 80]]
    inner = [[host, port] for host in inside for port in (15001, 15053, 22, 80)]
    data = running.data_dir
    return {
        "tcp": [[host, port] for host in hosts for port in ports if (host, port) not in own] + metadata + inner,
        "disguised": [["127.0.0.1", port] for port in ports],
        "udp": [[host, bait.port] for host in hosts] + [[host, 15053] for host in inside],
        "abstract": [bait.name],
        "paths": [
            str(data),
            *(str(data / name) for name in ("fabric/keeper.sock", "router/admin.sock", "credentials.json")),
        ],
        "listeners": [
            [host, port] for host in ("0.0.0.0", "127.0.0.1") for port in (running.router_port, running.api_port)
        ],
        # Others begin meanwhile.
        "pids_below": _highest_pid() + 2000,
        "bait": {"pid": bait.process.pid, "name": bait.name},
    }
