"""Somebody outside who gives as many bytes as he is asked for, and a project that asks where it is told to."""

import contextlib
import json
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx

from cluster.egress.files import CONNECTIONS
from cluster.egress.own_addresses import own_addresses
from tests.system.held import most
from tests.system.platform import Platform
from tests.system.projects import live_project
from tests.system.walls.answering import answering

_CALLER = """import socket, urllib.parse

def answer(path):
    asked = urllib.parse.parse_qs(path.partition("?")[2])
    if "to" not in asked:
        return "up"
    host, port = asked["to"][0].split(":")
    try:
        with socket.create_connection((host, int(port)), 5) as s:
            s.sendall(asked["bytes"][0].encode() + b"\\n")
            return str(len(s.makefile("rb").read()))
    except OSError as error:
        return type(error).__name__
"""

_HOLDER = """import socket, time
kept = []
while True:
    try:
        one = socket.create_connection(({host!r}, {port}), 5)
        one.settimeout(0.005)
        one.recv(1)
    except TimeoutError:
        kept.append(one)
    except OSError:
        time.sleep(0.01)
"""


class Giver(socketserver.ThreadingTCPServer):
    """At all addresses of this machine; `host` is the one that stands for one of the internet where a list opens it.
    `reached`: the addresses at which somebody came."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str):
        super().__init__(("", 0), _Giving)
        self.host = host
        self.port = int(self.server_address[1])
        self.reached: list[str] = []


class _Giving(socketserver.StreamRequestHandler):
    server: Giver

    def handle(self) -> None:
        self.server.reached.append(str(self.request.getsockname()[0]))
        with contextlib.suppress(OSError):
            self.wfile.write(b"x" * int(self.rfile.readline() or 0))


@contextlib.contextmanager
def giving() -> Iterator[Giver]:
    own = next((str(address) for address in own_addresses() if not address.is_loopback), None)
    assert own, "this machine has no address beside its loopback"
    # One of the tests opens as many connections as an instance may have.
    most(2 * CONNECTIONS)
    with Giver(own) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def start_caller(running: Platform, api: httpx.Client, folder: Path) -> None:
    live_project(running, api, "caller", folder, answering(_CALLER))


def holder(host: str, port: int) -> dict[str, str]:
    """A project that opens connections there, as many as it gets, and asks for nothing."""
    return {"hold.py": _HOLDER.format(host=host, port=port), "Procfile": "worker: python hold.py\n"}


def ask(running: Platform, host: str, port: int, count: int) -> str:
    """What the project is told when it asks for so many bytes there: how many it got, or what went wrong."""
    return running.get("caller", f"/?to={host}:{port}&bytes={count}").text


def allow(running: Platform, *networks: str) -> None:
    """To all of the main account."""
    spec = json.dumps({"spec": {"egress": {"allow": networks}}})
    running.kubectl("patch", "account", "main", "--type", "merge", "-p", spec)
