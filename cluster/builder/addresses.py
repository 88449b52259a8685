"""Which address a name that a tenant wrote may lead to: resolved once, refused when it is inside, then pinned."""

import asyncio
import ipaddress
import socket

from cluster.builder.repository import Refused
from cluster.builder.workshop import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


async def resolve_outside(host: str, port: int, allow: tuple[Network, ...]) -> Address:
    """The address to connect to: the name's first that is public, or allowed by the operator. Raises Refused when all
    of them are private, loopback, link-local or otherwise not public: nobody connects to those."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise Refused(f"The host {host} is not known: check the repository's address.") from error
    addresses = [ipaddress.ip_address(info[4][0]) for info in found]
    # Builds have no IPv6 where they have a network of their own.
    for address in sorted(addresses, key=lambda address: address.version):
        if is_open(address, allow):
            return address
    raise Refused(f"The host {host} leads to an internal address, which this installation does not allow.")


def is_open(address: Address, allow: tuple[Network, ...]) -> bool:
    """Public (also when it is wrapped in an IPv6 form), or allowed by the operator."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is None and address in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_open(inner, allow)
    if any(address.version == network.version and address in network for network in allow):
        return True
    return address.is_global and not address.is_multicast
