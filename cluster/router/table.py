"""HAProxy's table as data: which hostname leads to which slot, which servers a slot has. And how one becomes another.

A slot is one of HAProxy's backends; it is lent to a project for as long as the project has a Route."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

ServerKey = tuple[str, str]
"""(slot, server). A server's name is made from its address, so that one name never has two addresses."""


@dataclass(frozen=True)
class Server:
    """`accepting`: it gets new requests; False while it drains, or before it was enabled."""

    address: str
    accepting: bool = True


@dataclass(frozen=True)
class Table:
    """`hosts`: hostname -> slot; and `<address of an instance>/S/<name>.internal` -> slot, for who may call it so."""

    hosts: Mapping[str, str] = field(default_factory=dict)
    servers: Mapping[ServerKey, Server] = field(default_factory=dict)


@dataclass(frozen=True)
class AddServer:
    slot: str
    name: str
    address: str


@dataclass(frozen=True)
class Revive:
    """It is there and gets no requests, and now it shall."""

    slot: str
    name: str


@dataclass(frozen=True)
class PointHost:
    """`known`: the map has the hostname already, with another slot."""

    host: str
    slot: str
    known: bool


@dataclass(frozen=True)
class DropHost:
    host: str


@dataclass(frozen=True)
class Retire:
    """No new requests for it; then, when the open ones are through (or after its time), it is removed."""

    slot: str
    name: str


Operation = AddServer | Revive | PointHost | DropHost | Retire


def difference(actual: Table, wanted: Table) -> list[Operation]:
    """What makes the actual table the wanted one, in an order in which no request finds nothing in between."""
    operations: list[Operation] = []
    for key, server in sorted(wanted.servers.items()):
        there = actual.servers.get(key)
        if there is None:
            operations.append(AddServer(*key, server.address))
        elif not there.accepting:
            operations.append(Revive(*key))
    for host, slot in sorted(wanted.hosts.items()):
        if actual.hosts.get(host) != slot:
            operations.append(PointHost(host, slot, known=host in actual.hosts))
    operations += [DropHost(host) for host in sorted(set(actual.hosts) - set(wanted.hosts))]
    operations += [Retire(*key) for key in sorted(set(actual.servers) - set(wanted.servers))]
    return operations


def applied(table: Table, operations: Iterable[Operation]) -> Table:
    """The table as it is when all is done (a server that was retired is gone)."""
    hosts, servers = dict(table.hosts), dict(table.servers)
    for operation in operations:
        match operation:
            case AddServer(slot, name, address):
                servers[slot, name] = Server(address)
            case Revive(slot, name):
                servers[slot, name] = Server(servers[slot, name].address)
            case PointHost(host, slot, _):
                hosts[host] = slot
            case DropHost(host):
                hosts.pop(host, None)
            case Retire(slot, name):
                servers.pop((slot, name), None)
    return Table(hosts, servers)
