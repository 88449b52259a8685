"""What a project's instances wrote: a page, or followed live."""

from typing import Annotated, Any

from pydantic import Field

from api.http.answers import EventStream, Page
from api.http.call import Call
from api.http.paging import PageQuery, decode_cursor, encode_cursor
from api.http.since import moment_of
from api.problems import invalid, unavailable
from api.runtime.protocol import LogLine, LogQuery, RuntimeAway
from api.streams.logs import decode_places, log_events
from api.views.log import line_view

Entry = tuple[str, LogLine]
# How far back paging goes: the nodes are asked for so many lines at the most.
_DEEPEST = 10_000


class LogsQuery(PageQuery):
    since: Annotated[str | None, Field(max_length=64)] = None


async def read(call: Call) -> Page | EventStream:
    query: LogsQuery = call.query
    since = _since(call, query)
    if "text/event-stream" in call.header(b"accept"):
        wanted = LogQuery(call.namespace, call.project.name, since, query.limit)
        last = call.header(b"last-event-id")
        return EventStream(log_events(call.platform, wanted, decode_places(last) if last else {}))
    try:
        shown, cursor = await _page(call, query, since)
    except RuntimeAway as away:
        raise unavailable(f"The log cannot be read: {away}. Try again shortly.") from None
    return Page("lines", [line_view(line) for _, line in shown], cursor)


def _since(call: Call, query: LogsQuery) -> Any:
    if query.since is None:
        return None
    try:
        return moment_of(query.since, call.platform.now())
    except ValueError as error:
        raise invalid("?since", str(error)) from None


async def _page(call: Call, query: LogsQuery, since: Any) -> tuple[list[Entry], str | None]:
    """The newest lines of the window; behind a cursor, the newest of those before it.

    Nodes give the newest lines only, so an older page is found by asking for more until its end is among them."""
    end = decode_cursor(call.path, query.cursor) if query.cursor is not None else None
    skipped = int(end["skipped"]) if end else 0
    depth = skipped + query.limit + 1
    while True:
        wanted = LogQuery(call.namespace, call.project.name, since, min(depth, _DEEPEST))
        lines = await call.platform.runtime.log_page(wanted)
        older = _before(lines, end)
        if len(older) > query.limit or len(lines) < wanted.limit or wanted.limit == _DEEPEST:
            break
        depth *= 2
    shown = older[-query.limit :]
    if len(older) <= query.limit:
        return shown, None
    place = {"node": shown[0][0], "cursor": shown[0][1].cursor, "skipped": skipped + len(shown)}
    return shown, encode_cursor(call.path, place)


def _before(lines: list[Entry], end: Any) -> list[Entry]:
    """The lines before the one that a cursor names; all of them without a cursor."""
    if end is None:
        return lines
    for index, (node, line) in enumerate(lines):
        if node == end["node"] and line.cursor == end["cursor"]:
            return lines[:index]
    return []
