"""What the router's HAProxy has and counts, read from its sockets."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass

from cluster.haproxy.admin import AdminSocket, NoAnswer, parse_info, read_map
from cluster.router import encode
from cluster.router.encode import HOSTS_MAP
from cluster.router.table import Server, ServerKey, Table

_END = "\n\n"
"""Of a whole answer in rows."""


async def read_table(socket: AdminSocket) -> Table:
    """What HAProxy really has."""
    hosts, servers = await socket.ask(f"show map {HOSTS_MAP}"), await socket.ask("show servers state")
    return Table(read_map(hosts), _parse_servers(servers))


async def read_slots(socket: AdminSocket) -> list[str]:
    return [line for line in (await socket.ask("show backend")).splitlines() if encode.is_slot(line)]


async def read_sessions(socket: AdminSocket, slot: str, command_prefix: str = "") -> dict[str, int]:
    """How many requests and connections each server of a slot holds just now."""
    rows = _rows(await socket.ask(f"{command_prefix}show stat {slot} 4 -1"))
    return {row["svname"]: int(row["scur"] or 0) for row in rows}


async def read_held(socket: AdminSocket, command_prefix: str = "") -> set[ServerKey]:
    """The servers of all slots that hold a request or connection just now."""
    rows = _rows(await socket.ask(f"{command_prefix}show stat -1 4 -1"))
    return {(row["pxname"], row["svname"]) for row in rows if encode.is_slot(row["pxname"]) and int(row["scur"] or 0)}


async def read_open(socket: AdminSocket) -> dict[str, int]:
    """How many requests and connections each slot holds just now."""
    return {row["pxname"]: int(row["scur"] or 0) for row in _rows(await socket.ask("show stat -1 2 -1"))}


@dataclass(frozen=True)
class Count:
    """Since the worker's start."""

    requests: int
    errors: int


@dataclass(frozen=True)
class Counters:
    """`worker`: the process that counted, each begins at zero; `slots`: by slot's name."""

    worker: int
    slots: Mapping[str, Count]


async def read_counters(socket: AdminSocket) -> Counters:
    """An error is an answer of 500 and above, our own 503 too."""
    # Over one connection, so that one worker says both.
    info, table = await socket.tell(["show info", "show stat -1 2 -1"])
    slots = {row["pxname"]: Count(int(row["req_tot"] or 0), int(row["hrsp_5xx"] or 0)) for row in _parse_rows(table)}
    return Counters(parse_info(info).pid, slots)


def _parse_servers(text: str) -> dict[ServerKey, Server]:
    lines = [line.split() for line in text.splitlines()]
    header = next((line[1:] for line in lines if line[:1] == ["#"]), [])
    found: dict[ServerKey, Server] = {}
    for line in lines:
        row = dict(zip(header, line, strict=False)) if len(line) == len(header) else {}
        if encode.is_slot(row.get("be_name", "")):
            host = f"[{row['srv_addr']}]" if ":" in row["srv_addr"] else row["srv_addr"]
            accepting = row["srv_admin_state"] == "0"
            found[row["be_name"], row["srv_name"]] = Server(f"{host}:{row['srv_port']}", accepting)
    return found


def _rows(text: str) -> list[dict[str, str]]:
    """Raises NoAnswer for one that is cut off, as by a worker that ends meanwhile."""
    if "," in text.partition("\n")[0] and not text.endswith(_END):
        raise NoAnswer("HAProxy ended in the middle of its answer.")
    return _parse_rows(text)


def _parse_rows(text: str) -> list[dict[str, str]]:
    lines = [line for line in text.removeprefix("# ").splitlines() if line]
    return list(csv.DictReader(lines)) if lines and "," in lines[0] else []
