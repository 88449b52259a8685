"""The addresses of this machine, as the kernel has them now."""

import re
from pathlib import Path

from cluster.egress.policy import Address

# One line has the address, the next says what it is: "/32 host LOCAL".
_LOCAL = re.compile(r"\|-- (\d+\.\d+\.\d+\.\d+)\n\s+/32 host LOCAL")


def own_addresses(table: Path = Path("/proc/net/fib_trie")) -> frozenset[Address]:
    """Of every interface."""
    try:
        return frozenset(Address(text) for text in _LOCAL.findall(table.read_text()))
    except OSError:
        return frozenset()
