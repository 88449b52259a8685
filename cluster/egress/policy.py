"""Who may reach what outside. Pure: HAProxy's lists and the names' forwarder both come from here."""

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cluster.fabric.addresses import BUILDS, HOST_LOOPBACK

Network = ipaddress.IPv4Network
Address = ipaddress.IPv4Address

# Everything that is not of the public internet (IANA's special-purpose registry), but the blocks for documentation:
# nothing is there, and networks for tests are built of them.
_SPECIAL = (
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24 "
    "192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4"
)
DENIED = tuple(map(Network, _SPECIAL.split()))
_LOOPBACK = Address("127.0.0.1")


@dataclass(frozen=True)
class Policy:
    """`own`: the machine's addresses. What is allowed counts more than what is denied. `of_tenants`: what the accounts
    of some addresses may reach besides."""

    own: frozenset[Address]
    allow: tuple[Network, ...]
    allow_builds: tuple[Network, ...]
    denied_ports: tuple[int, ...] = ()
    of_tenants: Mapping[str, tuple[Network, ...]] = field(default_factory=dict)

    def open(self, source: str, destination: str) -> bool:
        """May what runs at `source` connect to `destination` (at a port that is not denied)?"""
        target = Address(destination)
        if target == Address(HOST_LOOPBACK):
            target = _LOOPBACK
        allowed = (
            self.allow + self.of_tenants.get(source, ()) + (self.allow_builds if Address(source) in BUILDS else ())
        )
        if any(target in network for network in allowed):
            return True
        return target not in self.own and not any(target in network for network in DENIED)


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Those of IPv4: there is no other inside. Raises ValueError."""
    parsed = (ipaddress.ip_network(text, strict=False) for text in texts)
    return tuple(network for network in parsed if isinstance(network, Network))
