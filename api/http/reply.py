"""Writing answers: values, problems and event streams onto the wire."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import orjson
from pydantic import BaseModel
from starlette.types import Send

from api.http.answers import Answer, Content, Event, EventStream, Page
from api.http.call import Call
from api.http.paging import next_link
from api.problems import CODES, Problem

Header = tuple[bytes, bytes]

_NO_STORE: Header = (b"cache-control", b"no-store")
_JSON: Header = (b"content-type", b"application/json")
_PROBLEM: Header = (b"content-type", b"application/problem+json")
_SSE: tuple[Header, ...] = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    _NO_STORE,
    (b"x-accel-buffering", b"no"),
)
HEARTBEAT_SECONDS = 15.0


@dataclass(slots=True)
class Reply:
    """What goes out; `events` instead of a body for a stream."""

    status: int
    body: bytes
    headers: list[Header] = field(default_factory=list)
    events: AsyncGenerator[Event, None] | None = None


def reply_to(call: Call, result: Answer | Page | EventStream | Content) -> Reply:
    """A handler's result as the endpoint's row says: its status, unless the result names another."""
    status = call.endpoint.status
    if isinstance(result, EventStream):
        headers = [*_SSE]
        if result.location:
            headers.append((b"location", result.location.encode()))
        return Reply(200, b"", headers, result.events)
    if isinstance(result, Page):
        return _page(call, result, status)
    if not isinstance(result, Answer):
        result = Answer(result)
    headers = [_NO_STORE]
    if result.etag:
        headers.append((b"etag", result.etag.encode()))
    if result.location:
        headers.append((b"location", result.location.encode()))
    headers += [(name.lower().encode(), value.encode()) for name, value in result.headers.items()]
    if result.content is None:
        return Reply(result.status or status, b"", headers)
    headers.append((b"content-type", result.media_type.encode()))
    return Reply(result.status or status, encoded(result.content), headers)


def encoded(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, BaseModel):
        return content.model_dump_json(by_alias=True).encode()
    return orjson.dumps(content)


def _page(call: Call, page: Page, status: int) -> Reply:
    items = b",".join(encoded(item) for item in page.items)
    body = b'{"%b":[%b],"nextCursor":%b}' % (page.name.encode(), items, orjson.dumps(page.next_cursor))
    headers = [_NO_STORE, _JSON]
    if page.next_cursor is not None:
        query = {**dict(parse_qsl(call.query_string.decode())), "cursor": page.next_cursor}
        headers.append((b"link", next_link(call.path, query).encode()))
    return Reply(status, body, headers)


def problem_reply(problem: Problem, request_id: str) -> Reply:
    """RFC 9457."""
    code = CODES[problem.code]
    body: dict[str, Any] = {
        "type": f"/errors/{problem.code}",
        "title": code.title,
        "status": code.status,
        "detail": problem.detail,
        "instance": request_id,
        "code": problem.code,
    }
    if code.status == 422:
        body["errors"] = [{"pointer": fault.pointer, "detail": fault.detail} for fault in problem.faults]
    headers = [_NO_STORE, _PROBLEM]
    headers += [(name.lower().encode(), value.encode()) for name, value in problem.headers.items()]
    return Reply(code.status, orjson.dumps(body), headers)


async def send_reply(reply: Reply, send: Send) -> None:
    headers = reply.headers
    if reply.status != 204:
        headers.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


def encode_event(event: Event) -> bytes:
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (event.id.encode(), event.name.encode(), event.data)


async def send_events(
    reply: Reply, send: Send, ends: Sequence[Callable[[], Awaitable[Any]]], heartbeat: float = HEARTBEAT_SECONDS
) -> None:
    """Send events as they come, and a comment whenever `heartbeat` seconds brought none, until there are no more or
    one of `ends` returns (the client left, or the service stops)."""
    if reply.events is None:
        raise ValueError("this reply is no stream")
    await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
    ending = [asyncio.ensure_future(end()) for end in ends]
    upcoming: asyncio.Task[Event] | None = None
    try:
        while not any(end.done() for end in ending):
            upcoming = upcoming or asyncio.create_task(_next(reply.events))
            await asyncio.wait({upcoming, *ending}, timeout=heartbeat, return_when=asyncio.FIRST_COMPLETED)
            if not upcoming.done():
                await send(_body(b": \n\n"))
                continue
            try:
                chunk = encode_event(upcoming.result())
            except StopAsyncIteration:
                break
            finally:
                upcoming = None
            await send(_body(chunk))
    finally:
        await _stop(upcoming, *ending)
        await reply.events.aclose()
    await send({"type": "http.response.body", "body": b""})


async def _next(events: AsyncGenerator[Event, None]) -> Event:
    return await anext(events)


async def _stop(*tasks: asyncio.Future[Any] | None) -> None:
    left = [task for task in tasks if task is not None]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def _body(chunk: bytes) -> dict[str, Any]:
    return {"type": "http.response.body", "body": chunk, "more_body": True}
