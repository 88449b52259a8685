"""Under which names the service answers, and where a request really comes from."""

import ipaddress
from collections.abc import Iterable

from api.problems import Problem


class Hosts:
    """The host names that the service answers under (without ports): configured ones, and the local ones."""

    def __init__(self, names: Iterable[str]):
        self._names = {_bare(name) for name in names if name}
        # The whole header is looked up first: a client sends the same one again and again.
        self._good: set[bytes] = set()

    def check(self, header: bytes) -> None:
        """421 for another host: a request that a browser was tricked into, or that went astray."""
        if header in self._good:
            return
        if _bare(header.decode("latin-1")) not in self._names:
            raise Problem("misdirected", "Use the address of the API as it was configured (its public URL).")
        if len(self._good) < 100:
            self._good.add(header)


def _bare(host: str) -> str:
    """Lower case, without a port, a dot at the end, or the brackets of an IPv6 address."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0].rstrip(".") if host.count(":") == 1 else host.rstrip(".")


class Proxies:
    """The proxies whose X-Forwarded-For is believed: addresses or networks."""

    def __init__(self, trusted: Iterable[str]):
        self._networks = [ipaddress.ip_network(item, strict=False) for item in trusted]

    def client(self, peer: str, forwarded_for: str) -> str:
        """The nearest address that is not a trusted proxy."""
        if not self._networks or not forwarded_for:
            return peer
        address = peer
        for hop in [part.strip() for part in reversed(forwarded_for.split(","))]:
            if not self._trusts(address):
                break
            address = hop
        return address

    def _trusts(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._networks)
