"""A git host over TLS on 127.0.0.1: git's own http-backend behind a small server, which notes who asked for what."""

import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from tests.unit.cluster.certificates import Authority


class GitHost:
    """Serves the repositories below `root` as https://localhost:PORT/NAME; below /moved/ it redirects there."""

    def __init__(self, root: Path, authority: Authority):
        self.root = root
        self.asked: list[str] = []
        pair = authority.issue("git-host")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair.cert, pair.key)
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"host": self}))
        # The handshake is done by the thread of the connection: a client that breaks off must not hold up others.
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def url(self, name: str) -> str:
        return f"https://localhost:{self.port}/{name}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that does not trust the certificate breaks off: that is what some tests are for."""


class _Handler(BaseHTTPRequestHandler):
    host: GitHost
    # With the length of each answer said: a TLS connection that only breaks off is an error to git.
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _answer(self, body: bytes) -> None:
        self.host.asked.append(self.path)
        if self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/moved"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        head, _, data = self._backend(body).partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((value for name, value in fields if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _backend(self, body: bytes) -> bytes:
        parts = urlsplit(self.path)
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.host.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
        }
        return subprocess.run(
            ["git", "http-backend"], input=body, env=environment, capture_output=True, check=True
        ).stdout

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def git_host(folder: Path) -> Iterator[tuple[GitHost, Authority]]:
    authority = Authority(folder / "pki")
    host = GitHost(folder / "repositories", authority)
    try:
        yield host, authority
    finally:
        host.close()
