"""HTTP/1.1 over one connection: parsing by httptools, one request at a time, answers in one write.

A general server costs more here than the answer itself: two writes, a task and a scope for each request.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

import httptools

from cluster.apiserver.access.identity import Identity, identity_of
from cluster.apiserver.http.application import Application
from cluster.apiserver.http.dispatch import Answer
from cluster.apiserver.http.frames import CONTINUE, chunk, head, refusal, stream_head
from cluster.apiserver.http.response import Response, Stream

MAX_BODY = 3 * 1024 * 1024
MAX_HEAD = 64 * 1024
MAX_WAITING = 8
ONE_WRITE = 64 * 1024
IDLE_SECONDS = 120.0


class _Parsed(NamedTuple):
    method: str
    url: bytes
    headers: dict[str, str]
    body: bytes
    keep_alive: bool


class HttpProtocol(asyncio.Protocol):
    """Told by the parser what comes; tells `connections` (owned by the server) that it is there."""

    def __init__(self, application: Application, connections: "set[HttpProtocol]") -> None:
        self._application = application
        self._connections = connections
        self._parser = httptools.HttpRequestParser(self)
        self._waiting: deque[_Parsed] = deque()
        self._task: asyncio.Task[None] | None = None
        self._stream: Stream | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._idle: asyncio.TimerHandle | None = None
        self._idle_since = 0.0
        self._closing = False
        self._head_size = 0
        self._reset()

    # The transport's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]
        certificate = transport.get_extra_info("peercert")
        self._peer = holder(certificate) if certificate else None
        self._connections.add(self)
        self._loop = asyncio.get_running_loop()
        self._expect()
        self._idle = self._loop.call_later(IDLE_SECONDS, self._close_if_idle)

    def connection_lost(self, _: Exception | None) -> None:
        self._connections.discard(self)
        self._closing = True
        self._waiting.clear()
        self._writable.set()
        self._forget_idle()
        if self._stream is not None:
            self._stream.close()

    def data_received(self, data: bytes) -> None:
        self._idle_since = 0.0
        self._head_size += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._refuse(400, "this server speaks HTTP/1.1 only")
        except (httptools.HttpParserError, UnicodeDecodeError):
            self._refuse(400, "the request is malformed")
        else:
            if not self._head_done and self._head_size > MAX_HEAD:
                self._refuse(431, "the header is too large")
            elif self._task is None and not self._waiting:
                self._expect()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # The parser's side

    def on_message_begin(self) -> None:
        self._reset()

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._fields_size += len(name) + len(value)
        if self._fields_size > MAX_HEAD:
            self._refuse(431, "the header is too large")
        # A header that comes twice: the first counts.
        self._headers.setdefault(lower(name), value.decode("latin-1"))

    def on_headers_complete(self) -> None:
        self._head_done = True
        declared = self._headers.get("content-length", "")
        if declared.isdigit() and int(declared) > MAX_BODY:
            self._refuse(413, f"the request is too large: the limit is {MAX_BODY} bytes")
        elif self._headers.get("expect", "").lower() == "100-continue":
            self._transport.write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        self._body_size += len(body)
        if self._body_size > MAX_BODY:
            self._refuse(413, f"the request is too large: the limit is {MAX_BODY} bytes")
        else:
            self._parts.append(body)

    def on_message_complete(self) -> None:
        if self._closing:
            return
        body = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        method = self._parser.get_method().decode("latin-1")
        parsed = _Parsed(method, self._url, self._headers, body, self._parser.should_keep_alive())
        self._head_size = 0
        if self._task is None and not self._waiting:
            self._handle(parsed)
        else:
            self._waiting.append(parsed)
            if len(self._waiting) >= MAX_WAITING:
                self._transport.pause_reading()

    # Answering

    def _handle(self, parsed: _Parsed) -> None:
        url = httptools.parse_url(parsed.url)
        path = url.path.decode("latin-1") if url.path else "/"
        if "%" in path:
            path = unquote(path)
        answer = self._application.answer(
            parsed.method, path, url.query or b"", parsed.headers, parsed.body, self._peer
        )
        if isinstance(answer, Response):
            self._send(answer, parsed)
        else:
            self._task = self._loop.create_task(self._handle_later(answer, parsed))

    async def _handle_later(self, answer: Stream | Awaitable[Answer], parsed: _Parsed) -> None:
        try:
            found = answer if isinstance(answer, Stream) else await answer
            if isinstance(found, Response):
                self._send(found, parsed)
            else:
                await self._send_stream(found, parsed)
        finally:
            self._task = None
            self._next()

    def _next(self) -> None:
        while self._waiting and self._task is None and not self._closing:
            self._handle(self._waiting.popleft())
        if not self._closing and self._task is None:
            self._transport.resume_reading()
            self._expect()

    def _send(self, answer: Response, parsed: _Parsed) -> None:
        if self._closing:
            return
        start = head(answer, parsed.keep_alive)
        if parsed.method == "HEAD":
            self._transport.write(start)
        elif len(answer.body) < ONE_WRITE:
            self._transport.write(start + answer.body)
        else:
            self._transport.write(start)
            self._transport.write(answer.body)
        if not parsed.keep_alive:
            self.close()

    async def _send_stream(self, answer: Stream, parsed: _Parsed) -> None:
        self._stream = answer
        try:
            self._transport.write(stream_head(answer))
            async for data in answer.chunks:
                await self._writable.wait()
                if self._closing:
                    return
                self._transport.write(chunk(data))
            self._transport.write(chunk(b""))
            if not parsed.keep_alive:
                self.close()
        finally:
            self._stream = None
            answer.close()

    def _refuse(self, status: int, message: str) -> None:
        if not self._closing:
            self._transport.write(refusal(status, message))
            self.close()

    # Life and death

    def close(self) -> None:
        self._closing = True
        self._forget_idle()
        self._transport.close()

    def abort(self) -> None:
        self._closing = True
        self._transport.abort()

    def finish(self) -> None:
        """Shutting down: end when what is under way is answered."""
        if self._stream is not None:
            self._stream.close()
        if self._task is None:
            self.close()

    def _expect(self) -> None:
        self._idle_since = self._loop.time()

    def _close_if_idle(self) -> None:
        """One timer that looks now and then costs less than one that is set anew with each request."""
        left = self._idle_since + IDLE_SECONDS - self._loop.time() if self._idle_since else IDLE_SECONDS
        if left > 0:
            self._idle = self._loop.call_later(left, self._close_if_idle)
        else:
            self.close()

    def _forget_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _reset(self) -> None:
        self._url = b""
        self._headers: dict[str, str] = {}
        self._parts: list[bytes] = []
        self._fields_size = 0
        self._body_size = 0
        self._head_done = False


@lru_cache(maxsize=256)
def lower(name: bytes) -> str:
    """A header's name; there are few."""
    return name.decode("latin-1").lower()


def holder(certificate: dict[str, Any]) -> Identity | None:
    """Whose client certificate it is: CN is the user, O are the groups; None without a CN."""
    user, groups = "", []
    for parts in certificate.get("subject", ()):
        for name, value in parts:
            if name == "commonName":
                user = value
            elif name == "organizationName":
                groups.append(value)
    return identity_of(user, groups) if user else None
