"""Many connections to the router, held open by clients that ask for what never comes."""

import resource
import selectors
import socket
import time
from collections.abc import Iterator
from types import TracebackType

HOLDER = """import asyncio, os

async def answer(reader, writer):
    if b"/hold" in await reader.readline():
        await asyncio.sleep(3600)
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok")
    await writer.drain()
    writer.close()

async def main():
    server = await asyncio.start_server(answer, os.environ["HOST"], int(os.environ["PORT"]), backlog=4096)
    await server.serve_forever()

asyncio.run(main())
"""
"""A project that never answers what is asked of it at /hold."""
_SPARE = 500
_SECONDS = 60.0


def most(wanted: int) -> int:
    """So many, or as many as this process may have open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return min(wanted, hard - _SPARE)


class Held:
    """`with Held(port, host, 10_000) as held: ...`; from several loopback addresses, as from several clients.
    `head`: the rest of each request, or as much of it as is sent. `answers`: the first line of each answer that came
    nevertheless."""

    def __init__(self, port: int, host: str, count: int, sources: tuple[str, ...], head: str = "{host}\r\n\r\n"):
        self.port, self.host, self.count, self.sources = port, host, count, sources
        self.head = head
        self.sockets: list[socket.socket] = []
        self.answers: list[str] = []
        self.closed = 0

    def __enter__(self) -> "Held":
        request = f"GET /hold HTTP/1.1\r\nHost: {self.head.format(host=self.host)}".encode()
        until = time.monotonic() + _SECONDS
        for number in range(self.count):
            assert time.monotonic() < until, f"only {number} of {self.count} connections came about"
            self._connect(self.sources[number % len(self.sources)], request)
        return self

    def _connect(self, source: str, request: bytes) -> None:
        try:
            made = socket.create_connection(("127.0.0.1", self.port), 10, (source, 0))
            self.sockets.append(made)
            made.setblocking(False)
            made.send(request)
        except ConnectionError:
            self.closed += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for each in self.sockets:
            each.close()

    def look(self) -> dict[str, int]:
        """How many: `open` connections, `closed` ones, and answers by their status."""
        for each, data in self._readable():
            if not data:
                self.closed += 1
                self.sockets.remove(each)
                each.close()
            else:
                self.answers.append(data.split(b"\r\n")[0].decode())
        found = {"open": len(self.sockets), "closed": self.closed}
        for answer in self.answers:
            status = answer.split()[1]
            found[status] = found.get(status, 0) + 1
        return found

    def _readable(self) -> Iterator[tuple[socket.socket, bytes]]:
        with selectors.DefaultSelector() as selector:
            for each in self.sockets:
                selector.register(each, selectors.EVENT_READ)
            ready = [key.fileobj for key, _ in selector.select(0)]
        for each in [found for found in ready if isinstance(found, socket.socket)]:
            try:
                yield each, each.recv(65536)
            except OSError:
                yield each, b""
