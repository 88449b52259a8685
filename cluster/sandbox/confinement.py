"""What Landlock is to keep a sandbox to, and which ports those are in which network. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from cluster.fabric.entry import Entry

ABI_OF_PORTS = 4
ABI_OF_SCOPES = 6
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1
_ABSTRACT_UNIX_SOCKET, _SIGNAL = 1 << 0, 1 << 1


@dataclass(frozen=True)
class Confinement:
    """TCP ports that it may bind and connect to; None: all. Abstract sockets and signals lead nowhere outside in any
    case. Port 0 (any free one) is a port like others, and nobody is given it: whose port came out would be luck."""

    bind: frozenset[int] | None = None
    connect: frozenset[int] | None = None

    def reaching(self, ports: Iterable[int]) -> "Confinement":
        """The same, and these ports beside."""
        return self if self.connect is None else replace(self, connect=self.connect.union(ports))


def serving(room: Entry | None, port: int, allowed: Iterable[int]) -> Confinement:
    """For what is reached at this port. In a network of its own every port is its own."""
    if room is not None:
        return Confinement()
    return Confinement(frozenset([port]), frozenset([port, *allowed]))


def connecting(room: Entry | None, allowed: Iterable[int]) -> Confinement:
    """For what nobody is to reach."""
    return Confinement() if room is not None else Confinement(frozenset(), frozenset(allowed))


@dataclass(frozen=True)
class Rules:
    """As the kernel takes them (linux/landlock.h): what is forbidden, and for which ports it is not."""

    handled: int
    scoped: int
    ports: tuple[tuple[int, int], ...]


def rules_of(confinement: Confinement, abi: int) -> Rules | None:
    """Of what this kernel has; None: it has nothing that would forbid anything."""
    accesses = ((_BIND_TCP, confinement.bind), (_CONNECT_TCP, confinement.connect))
    limited = [(access, ports) for access, ports in accesses if ports is not None and abi >= ABI_OF_PORTS]
    scoped = _ABSTRACT_UNIX_SOCKET | _SIGNAL if abi >= ABI_OF_SCOPES else 0
    if not limited and not scoped:
        return None
    handled = sum(access for access, _ in limited)
    return Rules(handled, scoped, tuple((access, port) for access, ports in limited for port in sorted(ports)))
