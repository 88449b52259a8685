"""Ports for what a test starts."""

import random
import socket

# Below the ports that the kernel gives to outgoing connections (one of which could take it before the test does), and
# below those of the instances.
_FIRST, _LAST = 10_000, 19_999
_given: set[int] = set()


def free_port() -> int:
    """One on which nothing listens, and that was not given before."""
    while True:
        port = random.randint(_FIRST, _LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in _given:
            _given.add(port)
            return port
