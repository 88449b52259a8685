"""Whoever connects to a port of this machine, again and again: what a thief hopes for."""

import contextlib
import socket
import threading
from collections.abc import Iterable, Iterator

Place = tuple[str, int]
_PAUSE_SECONDS = 0.02


@contextlib.contextmanager
def shop() -> Iterator[Place]:
    """A listener beside which others of the same user may listen: where it is."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listening.bind(("127.0.0.1", 0))
        listening.listen(4096)
        yield listening.getsockname()


@contextlib.contextmanager
def customers(places: Iterable[Place]) -> Iterator[None]:
    ended = threading.Event()
    threads = [threading.Thread(target=_come, args=(place, ended)) for place in places]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _come(place: Place, ended: threading.Event) -> None:
    while not ended.wait(_PAUSE_SECONDS):
        with contextlib.suppress(OSError), socket.create_connection(place, timeout=1):
            pass
