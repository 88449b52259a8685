"""Many connections to any API server at once: kept alive, over TLS, whatever form the answers come in."""

import asyncio
import json
import ssl
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

import httptools

CONNECTIONS = 32
Send = Callable[["Connection", int], Awaitable[bytes]]


class Peer(Protocol):
    """An API server that runs: ours, or a real one."""

    port: int

    @property
    def token(self) -> str: ...

    def context(self) -> ssl.SSLContext: ...


class Connection(asyncio.Protocol):
    """One request at a time; `lines` gets each line of a watch, as it comes."""

    def __init__(self, token: str, lines: Callable[[bytes], None] | None = None) -> None:
        self._head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nUser-Agent: bench/1\r\n"
        self._lines = lines
        self._rest = b""
        self._lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]

    def connection_lost(self, error: Exception | None) -> None:
        self._lost = True
        if hasattr(self, "_answer") and not self._answer.done():
            self._answer.set_exception(ConnectionResetError(str(error or "closed")))

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        if self._lines is None:
            self._parts.append(body)
            return
        *whole, self._rest = (self._rest + body).split(b"\n")
        for line in whole:
            self._lines(line)

    def on_message_complete(self) -> None:
        if not self._answer.done():
            self._answer.set_result(b"".join(self._parts))

    def start(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> None:
        self._parts: list[bytes] = []
        self._parser = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        if self._lost:
            # Nobody would tell us of it again.
            self._answer.set_exception(ConnectionResetError("closed"))
            return
        head = f"{method} {path} HTTP/1.1\r\n{self._head}Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)

    async def request(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
        """The body of the answer. Raises RuntimeError for a status of 400 or more."""
        status, answer = await self.exchange(method, path, body, kind)
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {answer[:500]!r}")
        return answer

    async def exchange(
        self, method: str, path: str, body: bytes = b"", kind: str = "application/json"
    ) -> tuple[int, bytes]:
        """The status and the body of the answer. Raises ConnectionError when none comes."""
        self.start(method, path, body, kind)
        answer = await self._answer
        return self._parser.get_status_code(), answer

    async def ended(self) -> None:
        """Returns when a watch is over, however it ended."""
        with suppress(ConnectionError):
            await self._answer

    def close(self) -> None:
        self._transport.abort()


async def connect(peer: Peer, context: ssl.SSLContext, lines: Callable[[bytes], None] | None = None) -> Connection:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(
        lambda: Connection(peer.token, lines), "127.0.0.1", peer.port, ssl=context, server_hostname="127.0.0.1"
    )
    return connection


@asynccontextmanager
async def connected(peer: Peer, count: int = CONNECTIONS) -> AsyncIterator[list[Connection]]:
    context = peer.context()
    connections = [await connect(peer, context) for _ in range(count)]
    try:
        yield connections
    finally:
        for connection in connections:
            connection.close()
        # What an abort leaves to be done is done in the loop's next turns.
        await asyncio.sleep(0.1)


async def rate(connections: list[Connection], count: int, send: Send) -> float:
    """Requests a second of `count` requests over all connections."""
    numbers = iter(range(count))

    async def work(connection: Connection) -> None:
        for number in numbers:
            await send(connection, number)

    started = time.perf_counter()
    await asyncio.gather(*(work(connection) for connection in connections))
    return count / (time.perf_counter() - started)


async def median_ms(times: int, send: Callable[[], Awaitable[Any]]) -> float:
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        await send()
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


async def fan_out_ms(peer: Peer, path: str, watchers: int, a_second: int, seconds: int) -> float:
    """The 99th percentile from the sending of a patch to its event, over all watchers; `path` is of one object."""
    collection, name = path.rsplit("/", 1)
    sent: dict[str, float] = {}
    taken: list[float] = []

    def event(line: bytes) -> None:
        note = json.loads(line)["object"].get("spec", {}).get("note", "")
        if note in sent:
            taken.append(time.perf_counter() - sent[note])

    context = peer.context()
    async with connected(peer, 1) as (writer,):
        version = json.loads(await writer.request("GET", f"{collection}?limit=1"))["metadata"]["resourceVersion"]
        watching = [await connect(peer, context, event) for _ in range(watchers)]
        for watcher in watching:
            watcher.start(
                "GET", f"{collection}?watch=true&resourceVersion={version}&fieldSelector=metadata.name={name}"
            )
        await asyncio.sleep(1)
        for number in range(a_second * seconds):
            note, began = f"mark-{number}", time.perf_counter()
            sent[note] = began
            await writer.request("PATCH", path, json.dumps({"spec": {"note": note}}).encode(), MERGE)
            await asyncio.sleep(max(0.0, 1 / a_second - (time.perf_counter() - began)))
        async with asyncio.timeout(30):
            while len(taken) < watchers * len(sent):
                await asyncio.sleep(0.05)
        for watcher in watching:
            watcher.close()
        await asyncio.sleep(0.1)
    return statistics.quantiles(taken, n=100)[98] * 1000


MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
