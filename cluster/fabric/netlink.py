"""The few words of rtnetlink and nfnetlink that the fabric needs, as bytes, and a socket that says them.

Written out by hand: pyroute2 was tried, and cost 12 MB in the process that stays and 10 ms for each instance, against
none and 1 ms (docs/decisions/0009). Formats: rtnetlink(7), linux/if_link.h, linux/netfilter/nf_tables.h."""

import os
import socket
import struct

_PATIENCE_SECONDS = 5.0
ACK, CREATE, EXCLUSIVE = 0x4, 0x400, 0x200
_REQUEST = 0x1
_ERROR = 2
_NESTED = 0x8000

_NEW_LINK, _NEW_ADDRESS, _NEW_ROUTE = 16, 20, 24
_IFNAME, _LINK_INFO, _NETNS_FD = 3, 18, 28
_INFO_KIND, _INFO_DATA, _VETH_PEER = 1, 2, 1
_IFA_ADDRESS, _IFA_LOCAL = 1, 2
_ROUTE_DESTINATION, _ROUTE_OIF, _ROUTE_GATEWAY, _ROUTE_METRICS = 1, 4, 5, 8
_QUICK_ACK = 15
_LINK_SCOPE = 253
_UP = 1
_MAIN_TABLE, _PROTO_BOOT, _UNICAST = 254, 3, 1

LOOPBACK = 1
"""Index of `lo` in every network namespace."""


def attribute(kind: int, data: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(data), kind) + data + b"\0" * (-len(data) % 4)


def nest(kind: int, *attributes: bytes) -> bytes:
    return attribute(kind | _NESTED, b"".join(attributes))


def text(kind: int, value: str) -> bytes:
    return attribute(kind, value.encode() + b"\0")


def message(kind: int, body: bytes, flags: int = 0) -> bytes:
    """Without its number, which the socket sets."""
    return struct.pack("=IHHII", 16 + len(body), kind, _REQUEST | flags, 0, 0) + body


def _link(index: int, state: int = 0) -> bytes:
    return struct.pack("=BxHiII", socket.AF_UNSPEC, 0, index, state, state)


def add_pair(name: str, index: int, peer_name: str, peer_index: int, peer_namespace: int) -> bytes:
    """Two ends of a wire, both down: one here, the other in the namespace of that descriptor."""
    peer = _link(peer_index) + text(_IFNAME, peer_name) + attribute(_NETNS_FD, struct.pack("=I", peer_namespace))
    kind = nest(_LINK_INFO, text(_INFO_KIND, "veth"), nest(_INFO_DATA, attribute(_VETH_PEER | _NESTED, peer)))
    return message(_NEW_LINK, _link(index) + text(_IFNAME, name) + kind, ACK | CREATE | EXCLUSIVE)


def set_up(index: int) -> bytes:
    return message(_NEW_LINK, _link(index, _UP), ACK)


def add_address(index: int, address: str, length: int) -> bytes:
    packed = socket.inet_aton(address)
    body = struct.pack("=BBBBI", socket.AF_INET, length, 0, 0, index)
    return message(
        _NEW_ADDRESS, body + attribute(_IFA_LOCAL, packed) + attribute(_IFA_ADDRESS, packed), ACK | CREATE | EXCLUSIVE
    )


def default_route(index: int, gateway: str) -> bytes:
    body = struct.pack("=BBBBBBBBI", socket.AF_INET, 0, 0, 0, _MAIN_TABLE, _PROTO_BOOT, 0, _UNICAST, 0)
    way = attribute(_ROUTE_GATEWAY, socket.inet_aton(gateway)) + attribute(_ROUTE_OIF, struct.pack("=I", index))
    return message(_NEW_ROUTE, body + way, ACK | CREATE | EXCLUSIVE)


def route_without_delay(index: int, address: str) -> bytes:
    """To one address on the link, with every segment acknowledged at once: a program that sends an answer's head and
    body one by one waits for 40 ms otherwise."""
    body = struct.pack("=BBBBBBBBI", socket.AF_INET, 32, 0, 0, _MAIN_TABLE, _PROTO_BOOT, _LINK_SCOPE, _UNICAST, 0)
    quick = nest(_ROUTE_METRICS, attribute(_QUICK_ACK, struct.pack("=I", 1)))
    way = attribute(_ROUTE_DESTINATION, socket.inet_aton(address)) + attribute(_ROUTE_OIF, struct.pack("=I", index))
    return message(_NEW_ROUTE, body + way + quick, ACK | CREATE | EXCLUSIVE)


class Netlink:
    """Speaks to the kernel about the network namespace in which it was made, wherever its process is later."""

    def __init__(self, family: int = socket.NETLINK_ROUTE):
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, family)
        self._socket.bind((0, 0))
        self._socket.settimeout(_PATIENCE_SECONDS)
        self._number = 0

    def close(self) -> None:
        self._socket.close()

    def say(self, *messages: bytes) -> None:
        """All at once. Raises OSError for the first that the kernel refuses; what came before it stands."""
        waiting: set[int] = set()
        out = b""
        for each in messages:
            self._number += 1
            out += each[:8] + struct.pack("=I", self._number) + each[12:]
            if struct.unpack_from("=H", each, 6)[0] & ACK:
                waiting.add(self._number)
        self._socket.send(out)
        problem = 0
        while waiting:
            for number, code in _answers(self._socket.recv(65536)):
                problem = problem or code
                # What opens a batch is answered only when the whole batch is refused.
                waiting = waiting - {number} if number in waiting else set()
        if problem:
            raise OSError(problem, os.strerror(problem))


def _answers(data: bytes) -> list[tuple[int, int]]:
    """(number of the message, error or 0) of each acknowledgement."""
    found = []
    offset = 0
    while offset + 20 <= len(data):
        length, kind, _, number, _, code = struct.unpack_from("=IHHIIi", data, offset)
        if kind == _ERROR:
            found.append((number, -code))
        offset += max(length + (-length % 4), 16)
    return found
