"""Ours only: a watcher that reads one byte a second delays nobody, and loses nothing once it reads."""

import contextlib
import json
import socket
import threading
import time

from tests.contract.apiserver.client import Api, widget
from tests.contract.apiserver.conftest import client_of, install_widgets
from tests.contract.apiserver.server import Server

WRITES = 1_000
MUCH = "x" * 10_000


class Slow:
    """Asks for a watch, then takes a byte a second until it is told to read on."""

    def __init__(self, server: Server, path: str) -> None:
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.connect(("127.0.0.1", server.port))
        self.socket = server.context().wrap_socket(plain, server_hostname="127.0.0.1")
        self.socket.settimeout(20)
        head = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.token}\r\n\r\n"
        self.socket.sendall(head.encode())
        self._on = threading.Event()
        self._thread = threading.Thread(target=self._sip, daemon=True)
        self.sipped = b""
        self._thread.start()

    def _sip(self) -> None:
        while not self._on.wait(1):
            self.sipped += self.socket.recv(1)

    def rest(self, until: str) -> list[bytes]:
        """All lines up to the one with this text, or all that came before the connection ended; the sipped bytes are
        in them."""
        self._on.set()
        self._thread.join()
        pieces, last = [self.sipped], b""
        while until.encode() not in last and (piece := self.socket.recv(65536)):
            # The text may lie across two pieces.
            last = last[-len(until) :] + piece
            pieces.append(piece)
        self.socket.settimeout(2)
        with contextlib.suppress(TimeoutError):
            # The rest of that line: the server has nothing more to say.
            while piece := self.socket.recv(65536):
                pieces.append(piece)
        self.socket.close()
        return _unchunked(b"".join(pieces).partition(b"\r\n\r\n")[2]).splitlines()


def _unchunked(body: bytes) -> bytes:
    """As far as whole chunks go."""
    whole, at = [], 0
    while (line_end := body.find(b"\r\n", at)) > 0:
        size = int(body[at:line_end], 16)
        if line_end + 2 + size > len(body):
            break
        whole.append(body[line_end + 2 : line_end + 2 + size])
        at = line_end + 2 + size + 2
    return b"".join(whole)


def write_all(api: Api) -> list[float]:
    """How long each took."""
    took = []
    for number in range(WRITES):
        began = time.monotonic()
        api.ok("POST", api.widgets, widget(f"w{number}", {"note": "n", "free": {"much": MUCH}}))
        took.append(time.monotonic() - began)
    return took


def test_a_watcher_that_hardly_reads_delays_nobody(own_server: Server) -> None:
    api, reader = client_of(own_server), client_of(own_server)
    install_widgets(api)
    version = api.get(api.widgets)["metadata"]["resourceVersion"]
    path = f"{api.widgets}?watch=true&resourceVersion={version}"
    slow = Slow(own_server, path)
    with reader.watching(api.widgets, resourceVersion=version) as watch:
        api.widget("first")
        assert watch.next()["object"]["metadata"]["name"] == "first"
        took = write_all(api)
        names = [watch.next()["object"]["metadata"]["name"] for _ in range(WRITES)]
    assert names == [f"w{number}" for number in range(WRITES)]
    assert len(slow.sipped) < 1_000, "it read more than it should: this says nothing"
    # One that waited for the slow one would have waited for seconds.
    assert max(took) < 2
    seen = [json.loads(line)["object"]["metadata"]["name"] for line in slow.rest(f'"name":"w{WRITES - 1}"')]
    assert seen == ["first", *names], "a gap or a repetition"
