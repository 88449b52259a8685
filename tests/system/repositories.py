"""Git repositories for tests, made with the real git."""

import os
import subprocess
from pathlib import Path

_WHO = {
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.com",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.com",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}

SERVER = '''"""Answers with its version; ends on SIGTERM after the request in hand."""
import http.server, os, signal, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = ("VERSION " + os.environ.get("GREETING", "") + "\\n").encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Handler)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever()
'''


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, text=True, env={**os.environ, **_WHO}
    )
    assert done.returncode == 0, f"git {arguments}: {done.stderr}"
    return done.stdout.strip()


def commit(repository: Path, files: dict[str, str], message: str = "Change") -> str:
    """Write these files and commit them; the commit. The repository is made if need be."""
    if not (repository / ".git").exists():
        repository.mkdir(parents=True, exist_ok=True)
        # As root the platform reads it as the project's user; pytest's folders are their owner's alone.
        repository.chmod(0o755)
        git(repository, "init", "-q", "-b", "main")
    for name, text in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "--allow-empty", "-m", message)
    return git(repository, "rev-parse", "HEAD")


def version(text: str) -> dict[str, str]:
    """A small Python project that answers with this text."""
    return {"main.py": SERVER.replace("VERSION", text)}


LIVELY = '''"""Answers with its version, echoes on a web socket, counts on an event stream. Standard library only."""
import base64, hashlib, http.server, os, signal, struct, threading, time

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        {"/socket": self.socket, "/events": self.events}.get(self.path, self.page)()
    def page(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(b"VERSION\\n")))
        self.end_headers()
        self.wfile.write(b"VERSION\\n")
    def events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()
        for number in range(1000000):
            self.wfile.write(f"data: {number}\\n\\n".encode())
            time.sleep(0.1)
    def socket(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        while True:
            head = self.rfile.read(2)
            if len(head) < 2 or head[0] & 15 == 8:
                return
            mask = self.rfile.read(4)
            word = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(head[1] & 127)))
            self.wfile.write(struct.pack("!BB", 0x81, len(word)) + word)
    def log_message(self, *_):
        pass

class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

server = Server((os.environ["HOST"], int(os.environ["PORT"])), Handler)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever()
'''


def lively(text: str) -> dict[str, str]:
    return {"main.py": LIVELY.replace("VERSION", text)}
