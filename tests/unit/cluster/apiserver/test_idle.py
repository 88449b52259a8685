"""A connection on which nothing is asked is closed, and only such a one: over a real socket, with short limits."""

import asyncio
from collections.abc import AsyncIterator, Awaitable

import pytest

from cluster.apiserver.http import protocol
from cluster.apiserver.http.dispatch import Answer
from cluster.apiserver.http.protocol import HttpProtocol
from cluster.apiserver.http.response import Response

REQUEST = b"GET /slow HTTP/1.1\r\nhost: here\r\n\r\n"


class Slow:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    def answer(self, *_: object) -> Answer | Awaitable[Answer]:
        return self._later()

    async def _later(self) -> Answer:
        await self.go_on.wait()
        return Response(200, b"{}")


@pytest.fixture
async def served(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Slow, int]]:
    monkeypatch.setattr(protocol, "IDLE_SECONDS", 0.1)
    slow, connections = Slow(), set[HttpProtocol]()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: HttpProtocol(slow, connections), "127.0.0.1", 0)  # type: ignore[arg-type]
    async with server:
        yield slow, server.sockets[0].getsockname()[1]


async def test_nothing_asked(served: tuple[Slow, int]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served[1])
    async with asyncio.timeout(10):
        assert await reader.read() == b""
    writer.close()


async def test_half_a_request(served: tuple[Slow, int]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served[1])
    writer.write(REQUEST[:10])
    async with asyncio.timeout(10):
        assert await reader.read() == b""
    writer.close()


async def test_an_answer_that_takes_longer(served: tuple[Slow, int]) -> None:
    slow, port = served
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(REQUEST)
    other, others = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(10):
        # By the time that one that began later has been closed, this one would have been, too.
        assert await other.read() == b""
        slow.go_on.set()
        assert (await reader.readuntil(b"{}")).startswith(b"HTTP/1.1 200 OK\r\n")
        assert await reader.read() == b""
    writer.close()
    others.close()
