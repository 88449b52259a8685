"""The file server, over a real socket."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from cluster.node.view import STATIC_SERVER
from tests.unit.cluster.eventually import eventually


class Site:
    def __init__(self, root: Path, port: int):
        self.root = root
        self.port = port

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Site]:
    root = tmp_path / "site"
    (root / "sub").mkdir(parents=True)
    (root / "index.html").write_text("<h1>home</h1>")
    (root / "sub/index.html").write_text("sub")
    (root / "a b.css").write_text("body{}")
    (root / ".env").write_text("secret")
    (tmp_path / "outside.txt").write_text("outside")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {"PATH": os.environ["PATH"], "PORT": str(port), "HOST": "127.0.0.1"}
    process = subprocess.Popen([sys.executable, str(STATIC_SERVER), str(root)], env=environment, stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    yield Site(root, port)
    process.terminate()
    assert process.wait(timeout=10) == 0
    process.stdout.close()


def test_files_folders_types_and_what_is_not_there(served: Site) -> None:
    answer, body = served.ask("/")
    assert (answer.status, body, answer.getheader("Content-Type")) == (
        200,
        b"<h1>home</h1>",
        "text/html; charset=utf-8",
    )
    assert served.ask("/sub/")[1] == b"sub"
    moved = served.ask("/sub")[0]
    assert (moved.status, moved.getheader("Location")) == (301, "/sub/")
    assert served.ask("//sub")[0].getheader("Location") == "/sub/"
    assert served.ask("/a%20b.css")[0].getheader("Content-Type") == "text/css; charset=utf-8"
    assert served.ask("/", "HEAD")[1] == b""
    assert served.ask("/nope")[0].status == 404
    (served.root / "404.html").write_text("lost?")
    answer, body = served.ask("/nope")
    assert (answer.status, body) == (404, b"lost?")


@pytest.mark.parametrize(
    "path", ["/../outside.txt", "/%2e%2e/outside.txt", "/sub/..%2f..%2foutside.txt", "/link.txt", "/.env", "/%00", "/~"]
)
def test_nothing_outside_is_served(served: Site, path: str) -> None:
    answer, body = served.ask(path)
    assert answer.status == 404
    assert b"outside" not in body


def test_what_did_not_change_is_not_sent_again(served: Site) -> None:
    first = served.ask("/")[0]
    tag, modified = first.getheader("ETag") or "", first.getheader("Last-Modified") or ""
    assert served.ask("/", If_None_Match=tag)[0].status == 304
    assert served.ask("/", If_None_Match=f'"x", W/{tag}')[0].status == 304
    assert served.ask("/", If_None_Match='"x"')[0].status == 200
    assert served.ask("/", If_Modified_Since=modified)[0].status == 304
    assert served.ask("/", If_Modified_Since="nonsense")[0].status == 200


async def test_a_large_file_comes_whole(served: Site) -> None:
    data = os.urandom(3 * 1024 * 1024)
    (served.root / "big.bin").write_bytes(data)
    assert await eventually(lambda: served.ask("/big.bin")[1] == data)
