"""Where an instance listens. Only this module, and the router's planner, know what an address looks like."""

import random
import socket
import time
from collections.abc import Callable, Mapping

# Below the range from which the kernel takes ports for outgoing connections.
_FIRST, _LAST = 20000, 32000
_HOST = "127.0.0.1"
_REST_SECONDS = 60.0


class Addresses:
    """Gives out addresses of this machine that are free and that no other instance of this agent has, or had a short
    while ago: a router that has not heard of the end yet must not reach somebody else there."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken: set[str] = set()
        self._resting: dict[str, float] = {}

    def allocate(self) -> str:
        """Raises OSError when none is free."""
        now = self._clock()
        self._resting = {address: until for address, until in self._resting.items() if until > now}
        for _ in range(1000):
            address = f"{_HOST}:{random.randint(_FIRST, _LAST)}"
            if address not in self._taken and address not in self._resting and _free(address):
                self._taken.add(address)
                return address
        raise OSError("No free port is left for instances on this machine.")

    def keep(self, address: str) -> None:
        """An adopted instance has it."""
        self._taken.add(address)

    def release(self, address: str) -> None:
        self._taken.discard(address)
        self._resting[address] = self._clock() + _REST_SECONDS


def endpoint_of(address: str) -> tuple[str, int]:
    """Host and port to connect to."""
    host, _, port = address.rpartition(":")
    return host, int(port)


def environment_of(address: str) -> Mapping[str, str]:
    """What tells a process where to listen."""
    host, port = endpoint_of(address)
    return {"PORT": str(port), "HOST": host}


def _free(address: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(endpoint_of(address))
        except OSError:
            return False
    return True
