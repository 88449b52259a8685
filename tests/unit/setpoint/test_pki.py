"""The installation's authority: made once, its certificates good for both ends of a TLS connection."""

import socket
import ssl
import stat
import threading
from pathlib import Path

import pytest

from setpoint.installation import Installation
from setpoint.pki import ensure_certificates


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    made = Installation(tmp_path / "data")
    made.prepare()
    ensure_certificates(made, ["api", "node-1"])
    return made


def test_two_parts_know_each_other(installation: Installation) -> None:
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(installation.ca))
    server.verify_mode = ssl.CERT_REQUIRED
    server.load_cert_chain(installation.certificate("node-1"), installation.key("node-1"))
    client = ssl.create_default_context(cafile=str(installation.ca))
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    client.load_cert_chain(installation.certificate("api"), installation.key("api"))
    ours, theirs = socket.socketpair()
    seen: list[object] = []

    def serve() -> None:
        with server.wrap_socket(theirs, server_side=True) as connection:
            seen.append(connection.getpeercert())
            connection.sendall(connection.recv(5))

    thread = threading.Thread(target=serve)
    thread.start()
    with client.wrap_socket(ours, server_hostname="127.0.0.1") as connection:
        connection.sendall(b"hello")
        assert connection.recv(5) == b"hello"
    thread.join(10)
    assert "setpoint:api" in str(seen)


def test_keys_are_for_the_owner_only_and_made_once(installation: Installation) -> None:
    keys = [installation.pki / "ca.key", installation.key("api"), installation.key("node-1")]
    assert all(stat.S_IMODE(key.stat().st_mode) == 0o600 for key in keys)
    assert stat.S_IMODE(installation.root.stat().st_mode) == 0o700
    before = [key.read_bytes() for key in keys]
    ensure_certificates(installation, ["api", "node-1", "node-2"])
    assert [key.read_bytes() for key in keys] == before
    assert installation.certificate("node-2").exists()
