"""Serves a folder's files, nothing above it: run inside the sandbox as `python3 static_server.py FOLDER`.

Standard library only: it runs on the project's interpreter, without anything of the platform's.
"""

import email.utils
import mimetypes
import os
import signal
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
    ".xml": "application/xml",
}
CHUNK = 256 * 1024


def find(root: Path, raw: str) -> Path | None:
    """The file that a request's path names: inside the root, no hidden part, links followed only within."""
    parts = [part for part in unquote(urlsplit(raw).path).split("/") if part not in ("", ".")]
    if any((part.startswith(".") and part != ".well-known") or "\0" in part for part in parts):
        return None
    try:
        found = root.joinpath(*parts).resolve(strict=True)
        if not found.is_relative_to(root):
            return None
        if found.is_dir():
            found = (found / "index.html").resolve(strict=True)
        return found if found.is_relative_to(root) and found.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


def content_type(path: Path) -> str:
    return TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"


class Files(BaseHTTPRequestHandler):
    """GET and HEAD of files, with ETag and Last-Modified."""

    protocol_version = "HTTP/1.1"
    server_version = "static"
    sys_version = ""
    timeout = 75
    root = Path()

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        found = find(self.root, self.path)
        if found is None:
            self._not_found()
        elif not path.endswith("/") and found.name == "index.html" and not path.endswith("/index.html"):
            # Relative links of the page only work behind the slash; the leading one must stay single.
            self._head(HTTPStatus.MOVED_PERMANENTLY, {"Location": "/" + path.lstrip("/") + "/", "Content-Length": "0"})
        else:
            self._send(found, HTTPStatus.OK)

    do_HEAD = do_GET  # noqa: N815 (the library's name)

    def _not_found(self) -> None:
        page = find(self.root, "/404.html")
        if page is not None:
            self._send(page, HTTPStatus.NOT_FOUND)
            return
        body = b"Not found\n"
        self._head(
            HTTPStatus.NOT_FOUND, {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}
        )
        if self.command == "GET":
            self.wfile.write(body)

    def _send(self, path: Path, status: HTTPStatus) -> None:
        try:
            file = path.open("rb")
        except OSError:
            self._head(HTTPStatus.FORBIDDEN, {"Content-Length": "0"})
            return
        with file:
            stat = os.fstat(file.fileno())
            # Every checkout gives new times, so the size and the name of the release are not enough alone.
            tag = f'"{stat.st_mtime_ns:x}-{stat.st_size:x}"'
            headers = {
                "ETag": tag,
                "Last-Modified": email.utils.formatdate(stat.st_mtime, usegmt=True),
                "Cache-Control": "no-cache",
            }
            if status is HTTPStatus.OK and self._unchanged(tag, stat.st_mtime):
                self._head(HTTPStatus.NOT_MODIFIED, headers)
                return
            sizes = {"Content-Type": content_type(path), "Content-Length": str(stat.st_size)}
            self._head(status, {**headers, **sizes, "X-Content-Type-Options": "nosniff"})
            if self.command == "GET":
                self._copy(file.fileno(), stat.st_size)

    def _copy(self, descriptor: int, size: int) -> None:
        self.wfile.flush()
        offset = 0
        while offset < size:
            sent = os.sendfile(self.connection.fileno(), descriptor, offset, min(CHUNK, size - offset))
            if sent == 0:
                self.close_connection = True
                return
            offset += sent

    def _unchanged(self, tag: str, modified: float) -> bool:
        known = self.headers.get("If-None-Match")
        if known is not None:
            return known.strip() == "*" or tag in [part.strip().removeprefix("W/") for part in known.split(",")]
        try:
            since = email.utils.parsedate_to_datetime(self.headers.get("If-Modified-Since", ""))
        except (TypeError, ValueError):
            return False
        return int(modified) <= since.timestamp()

    def _head(self, status: HTTPStatus, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Not each request: the router counts them. Errors are still said."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def main() -> None:
    Files.root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000")))
    server = Server(address, Files)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"Serving files on {address[0]}:{address[1]}", flush=True)
    server.serve_forever(poll_interval=0.1)


if __name__ == "__main__":
    main()
