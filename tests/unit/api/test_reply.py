"""Streams on the wire: events, comments, ends."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from api.http.answers import Event
from api.http.reply import Reply, problem_reply, send_events
from api.problems import Fault, Problem


async def forever() -> None:
    await asyncio.Event().wait()


class Wire:
    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.more = asyncio.Event()

    async def send(self, message: Any) -> None:
        self.sent.append(message)
        self.more.set()

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)

    async def until(self, part: bytes) -> None:
        async with asyncio.timeout(5):
            while part not in self.body:
                self.more.clear()
                await self.more.wait()


class Source:
    """Gives what is put in, and remembers that it was closed."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self.closed = False

    async def events(self) -> AsyncGenerator[Event, None]:
        try:
            while (event := await self.queue.get()) is not None:
                yield event
        finally:
            self.closed = True


async def test_events_and_comments_until_the_source_ends() -> None:
    wire, source = Wire(), Source()
    reply = Reply(200, b"", [], source.events())
    sending = asyncio.create_task(send_events(reply, wire.send, [forever], heartbeat=0.01))
    await wire.until(b": \n\n: \n\n")
    await source.queue.put(Event("log", b'{"a":1}', "x:1"))
    await wire.until(b'id: x:1\nevent: log\ndata: {"a":1}\n\n')
    await source.queue.put(None)
    await sending
    assert wire.sent[-1] == {"type": "http.response.body", "body": b""}
    assert source.closed


async def test_a_client_that_leaves_ends_the_source() -> None:
    wire, source, left = Wire(), Source(), asyncio.Event()
    sending = asyncio.create_task(send_events(Reply(200, b"", [], source.events()), wire.send, [forever, left.wait]))
    await source.queue.put(Event("log", b"{}", "x:1"))
    await wire.until(b"x:1")
    left.set()
    await asyncio.wait_for(sending, 5)
    assert source.closed


async def test_an_error_of_the_source_is_raised_and_everything_closed() -> None:
    async def broken() -> AsyncGenerator[Event, None]:
        yield Event("log", b"{}", "x:1")
        raise RuntimeError("broken")

    wire = Wire()
    with pytest.raises(RuntimeError, match="broken"):
        await send_events(Reply(200, b"", [], broken()), wire.send, [forever])
    assert b"x:1" in wire.body


def test_a_problem_on_the_wire() -> None:
    reply = problem_reply(Problem("invalid", "why", faults=[Fault("/a", "b")], headers={"X-Y": "z"}), "id-1")
    assert reply.status == 422
    assert (b"content-type", b"application/problem+json") in reply.headers
    assert (b"x-y", b"z") in reply.headers
    assert b'"errors":[{"pointer":"/a","detail":"b"}]' in reply.body
