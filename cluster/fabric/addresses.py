"""Which address is whose in the fabric. Pure.

198.18.0.0/15 is set aside for measuring networks against each other (RFC 2544): nothing that a project may want to
reach has an address in it, so no rule about the outside ever means something inside."""

import ipaddress
from dataclasses import dataclass
from typing import Literal

NETWORK = ipaddress.ip_network("198.18.0.0/15")
GATEWAY = "198.18.0.1"
"""Of the fabric itself: names are asked there."""
HOST_LOOPBACK = "198.18.0.2"
"""Stands for 127.0.0.1 of the machine, closed unless the operator opens it."""
INSTANCE_PORT = 8080
"""Where every instance listens: each has a network of its own."""

_FIRST = int(NETWORK.network_address) + 256
PAIRS = 32_000
"""For instances; and as many for builds, in the upper half of the network: the way out tells them apart by that."""
RUNS = ipaddress.ip_network("198.18.0.0/16")
BUILDS = ipaddress.ip_network("198.19.0.0/16")


Purpose = Literal["run", "build"]


@dataclass(frozen=True)
class Pair:
    """The two ends of one wire: the fabric's and the instance's; `index` is of the fabric's interface."""

    name: str
    index: int
    outer: str
    inner: str


def pair(purpose: Purpose, number: int) -> Pair:
    """`number`: 0 to PAIRS-1, or what is left of it when divided by that."""
    number %= PAIRS
    base = (_FIRST if purpose == "run" else int(BUILDS.network_address)) + 2 * number
    outer, inner = str(ipaddress.ip_address(base)), str(ipaddress.ip_address(base + 1))
    index = 1000 + number + (0 if purpose == "run" else PAIRS)
    return Pair(f"{purpose[0]}{number}", index, outer, inner)


def instance_address(text: str) -> bool:
    """Is it one of an instance or a build?"""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address in NETWORK and int(address) >= _FIRST
