"""Everything on this machine that a tenant might try to reach."""

import contextlib
import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cluster.egress.own_addresses import own_addresses
from cluster.fabric.addresses import GATEWAY, HOST_LOOPBACK
from tests.system.platform import Platform

_LISTENS = "0A"


def _ports(table: str, state: str) -> list[int]:
    rows = [line.split() for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    return sorted({int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == state})


def addresses() -> list[str]:
    """Of this machine, of every family."""
    six = [line.split() for line in Path("/proc/net/if_inet6").read_text().splitlines()]
    texts = [socket.inet_ntop(socket.AF_INET6, bytes.fromhex(row[0])) for row in six]
    return [str(address) for address in sorted(own_addresses())] + [text for text in texts if text[:4] != "fe80"]


@contextlib.contextmanager
def baits() -> Iterator[tuple[int, str]]:
    """Something that answers on every address over UDP, and an abstract socket: the port and the name."""
    name = f"setpoint-test-{os.getpid()}"
    with (
        socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as answering,
        socket.socket(socket.AF_UNIX) as hidden,
    ):
        answering.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        answering.bind(("::", 0))
        hidden.bind(f"\0{name}")
        hidden.listen()
        ended = threading.Event()
        thread = threading.Thread(target=_answer, args=(answering, ended))
        thread.start()
        try:
            yield answering.getsockname()[1], name
        finally:
            ended.set()
            thread.join()


def _answer(answering: socket.socket, ended: threading.Event) -> None:
    answering.settimeout(0.1)
    while not ended.is_set():
        with contextlib.suppress(TimeoutError):
            answering.sendto(b"here", answering.recvfrom(100)[1])


def targets(running: Platform, bait: tuple[int, str], neighbours: list[str]) -> dict[str, Any]:
    """As the probe reads them. `neighbours`: addresses (ip:port) of other instances."""
    inside = [GATEWAY, HOST_LOOPBACK, *(address.rpartition(":")[0] for address in neighbours)]
    hosts = [*addresses(), *inside]
    ports = sorted({*_ports("tcp", _LISTENS), *_ports("tcp6", _LISTENS), running.api_port, running.router_port, 8080})
    # What a process finds on its own loopback is its own.
    own = {("127.0.0.1", 8080), ("::1", 8080)}
    metadata = [["169.254.169.254", 80], ["169.254.169.254", 8080], ["fd00:ec2::254", 80]]
    inner = [[host, port] for host in inside for port in (15001, 15053, 22, 80)]
    data = running.data_dir
    pids = [json.loads(path.read_text()).get("pid", 0) for path in (data / "run").glob("*.json")]
    return {
        "tcp": [[host, port] for host in hosts for port in ports if (host, port) not in own] + metadata + inner,
        "disguised": [["127.0.0.1", port] for port in ports],
        "udp": [[host, bait[0]] for host in hosts] + [[host, 15053] for host in inside],
        "abstract": [bait[1]],
        "paths": [
            str(data),
            *(str(data / name) for name in ("fabric/keeper.sock", "router/admin.sock", "credentials.json")),
        ],
        "listeners": [
            [host, port] for host in ("0.0.0.0", "127.0.0.1") for port in (running.router_port, running.api_port)
        ],
        "pids": [pid for pid in pids if pid],
    }
