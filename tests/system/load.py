"""Load through the router, in a thread of its own: new connections, kept ones, a web socket, an event stream.
Bounded by the test that starts it; whatever fails or is cut is written down."""

import asyncio
import base64
import os
import struct
import threading
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from types import TracebackType

_SECONDS = 20.0
_BETWEEN = 0.05
_BROKEN = (OSError, TimeoutError, ValueError, EOFError)


class Load:
    """`with Load(port, host) as load: ...`; then `load.failures` is what went wrong, `load.counts` how much there was,
    `load.took` the seconds of each new connection's request.

    `path` is what is asked for; `sockets`: hold a web socket and an event stream, too."""

    def __init__(
        self, port: int, host: str, *, new_each_second: int = 50, kept: int = 10, sockets: bool = False, path: str = "/"
    ):
        self.port, self.host, self.path = port, host, path
        self.new_each_second, self.kept, self.sockets = new_each_second, kept, sockets
        self.failures: list[str] = []
        self.counts = {"new": 0, "kept": 0, "socket": 0, "event": 0}
        self.took: list[float] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def __enter__(self) -> "Load":
        self._thread.start()
        until = time.monotonic() + _SECONDS
        while not self.counts["new"] and time.monotonic() < until:
            time.sleep(0.01)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join(_SECONDS)
        assert not self._thread.is_alive()

    async def _run(self) -> None:
        jobs: list[Coroutine[None, None, None]] = [self._new_connections()]
        jobs += [self._kept_connection() for _ in range(self.kept)]
        if self.sockets:
            jobs += [self._web_socket(), self._event_stream()]
        await asyncio.gather(*jobs)

    async def _new_connections(self) -> None:
        requests: set[asyncio.Task[None]] = set()
        while not self._stop.is_set():
            task = asyncio.ensure_future(self._one_request())
            requests.add(task)
            task.add_done_callback(requests.discard)
            await asyncio.sleep(1 / self.new_each_second)
        await asyncio.gather(*requests)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Closed whatever became of it: the failures are what a test looks at, and not what they left behind."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _one_request(self) -> None:
        began = time.monotonic()
        try:
            async with asyncio.timeout(_SECONDS), self._connection() as (reader, writer):
                await self._ask(reader, writer, "close")
            self.counts["new"] += 1
            self.took.append(time.monotonic() - began)
        except _BROKEN as error:
            self.failures.append(f"new connection: {error!r}")

    async def _kept_connection(self) -> None:
        """A client of the web keeps its connection while the server says so, and opens a new one when it does not."""
        while not self._stop.is_set():
            try:
                async with self._connection() as (reader, writer):
                    while await self._ask_again(reader, writer):
                        pass
            except _BROKEN as error:
                self.failures.append(f"kept connection: {error!r}")
                await asyncio.sleep(_BETWEEN)

    async def _ask_again(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        async with asyncio.timeout(_SECONDS):
            keeps = await self._ask(reader, writer, "keep-alive")
        self.counts["kept"] += 1
        await asyncio.sleep(_BETWEEN)
        return keeps and not self._stop.is_set()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: str) -> bool:
        writer.write(f"GET {self.path} HTTP/1.1\r\nHost: {self.host}\r\nConnection: {connection}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        if not head.startswith("HTTP/1.1 200"):
            raise ValueError(head.splitlines()[0])
        fields = {
            line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip()
            for line in head.splitlines()[1:]
            if ":" in line
        }
        await reader.readexactly(int(fields["content-length"]))
        return fields.get("connection", "keep-alive").lower() != "close"

    async def _web_socket(self) -> None:
        try:
            async with self._connection() as (reader, writer):
                key = base64.b64encode(os.urandom(16)).decode()
                writer.write(
                    f"GET /socket HTTP/1.1\r\nHost: {self.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
                )
                head = await reader.readuntil(b"\r\n\r\n")
                if b" 101 " not in head:
                    raise ValueError(head.split(b"\r\n")[0].decode())
                while not self._stop.is_set():
                    await self._one_word(reader, writer)
                    self.counts["socket"] += 1
                    await asyncio.sleep(0.1)
        except _BROKEN as error:
            self.failures.append(f"web socket: {error!r}")

    async def _one_word(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Sent, and it comes back."""
        word = os.urandom(8).hex().encode()
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(word))
        writer.write(struct.pack("!BB", 0x81, 0x80 | len(word)) + mask + masked)
        async with asyncio.timeout(_SECONDS):
            _, length = struct.unpack("!BB", await reader.readexactly(2))
            if await reader.readexactly(length & 0x7F) != word:
                raise ValueError("another word came back")

    async def _event_stream(self) -> None:
        try:
            async with self._connection() as (reader, writer):
                writer.write(f"GET /events HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())
                await reader.readuntil(b"\r\n\r\n")
                expected = 0
                while not self._stop.is_set():
                    async with asyncio.timeout(_SECONDS):
                        line = await reader.readuntil(b"\n\n")
                    number = int(line.split(b"data:")[1])
                    if number != expected:
                        raise ValueError(f"event {number} after {expected - 1}")
                    expected += 1
                    self.counts["event"] += 1
        except _BROKEN as error:
            self.failures.append(f"event stream: {error!r}")
