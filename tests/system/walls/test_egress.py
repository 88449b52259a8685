"""The way out, account by account: lists of their own, and what each instance used is kept."""

import json
import os
import signal
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.egress.own_addresses import own_addresses
from cluster.egress.usage import read_ledger
from tests.system.platform import Platform, eventually, platform
from tests.system.repositories import commit
from tests.system.walls.answering import answering

MIB = 1024 * 1024
CALLER = """import socket, urllib.parse

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


class Giver(socketserver.StreamRequestHandler):
    """Sends as many bytes as it is asked for."""

    def handle(self) -> None:
        self.wfile.write(b"x" * int(self.rfile.readline()))


@pytest.fixture
def giver() -> Iterator[str]:
    own = next((str(address) for address in own_addresses() if not address.is_loopback), None)
    assert own, "this machine has no address beside its loopback"
    with socketserver.ThreadingTCPServer((own, 0), Giver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"{own}:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Platform]:
    with platform(tmp_path / "data") as started:
        yield started


def ask(running: Platform, to: str, count: int) -> str:
    """What the project is told when it asks for so many bytes."""
    return running.get("caller", f"/?to={to}&bytes={count}").text


def kept(running: Platform) -> tuple[int, int]:
    """Connections made and bytes received, of all instances of the project."""
    files = (running.data_dir / "egress" / "usage").glob("*.ndjson")
    lines = [line for path in files for line in read_ledger(path) if line["project"] == "caller"]
    return sum(line["connections"] for line in lines), sum(line["received"] for line in lines)


def end_part(running: Platform, sign: signal.Signals) -> None:
    """The way out's driver; whoever starts it again has done so when this returns."""
    pid = running.pid("egress")
    os.kill(pid, sign)
    eventually(lambda: running.pid("egress") != pid)


def test_an_accounts_list_opens_a_network_and_its_use_is_kept(running: Platform, giver: str, tmp_path: Path) -> None:
    commit(tmp_path / "caller", answering(CALLER))
    with running.api() as api:
        project = running.new_project(api, "caller", tmp_path / "caller")
        assert running.deploy(api, project)["status"] == "live"
    assert not ask(running, giver, 10).isdigit(), "an address of this machine is nobody's to reach"
    allow = json.dumps({"spec": {"egress": {"allow": [f"{giver.partition(':')[0]}/32"]}}})
    running.kubectl("patch", "account", "main", "--type", "merge", "-p", allow)
    eventually(lambda: ask(running, giver, 10) == "10")

    assert ask(running, giver, 5 * MIB) == str(5 * MIB)
    end_part(running, signal.SIGTERM)
    connections, received = eventually(lambda: kept(running))
    assert connections >= 2
    assert 5 * MIB < received < 5 * MIB + 100_000
    eventually(lambda: ask(running, giver, MIB) == str(MIB))
    end_part(running, signal.SIGKILL)
    eventually(lambda: ask(running, giver, 10) == "10")
    end_part(running, signal.SIGTERM)
    eventually(lambda: kept(running)[1] > 6 * MIB)
    assert kept(running)[1] < 6 * MIB + 200_000, "counted once"

    nothing = json.dumps({"spec": {"egress": {"allow": []}}})
    running.kubectl("patch", "account", "main", "--type", "merge", "-p", nothing)
    eventually(lambda: not ask(running, giver, 10).isdigit())
    refused = running.kubectl(
        "patch", "account", "main", "--type", "merge", "-p", allow.replace("/32", "/99"), check=False
    )
    assert "spec.egress.allow" in refused
