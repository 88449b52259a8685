"""The live log of a project as events, resumable: an event's id says how far each node's log was read."""

import base64
import binascii
from collections.abc import AsyncGenerator

import orjson

from api.http.answers import Event
from api.platform import Platform
from api.problems import invalid
from api.runtime.protocol import LogQuery
from api.views.log import line_view

_MOST_BYTES = 64 * 1024


async def log_events(platform: Platform, query: LogQuery, after: dict[str, str]) -> AsyncGenerator[Event, None]:
    """`after`: node -> cursor of the last line that the client has of it."""
    places = dict(after)
    lines = platform.runtime.follow_log(query, after)
    try:
        async for node, line in lines:
            places[node] = line.cursor
            yield Event("log", line_view(line).encoded(), encode_places(places))
    finally:
        await lines.aclose()


def encode_places(places: dict[str, str]) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(places, option=orjson.OPT_SORT_KEYS)).decode().rstrip("=")


def decode_places(id_: str) -> dict[str, str]:
    """422 for what no event of a log stream was called."""
    try:
        value = orjson.loads(base64.b64decode(id_ + "=" * (-len(id_) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError):
        value = None
    if len(id_) > _MOST_BYTES or not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise invalid("Last-Event-ID", "Last-Event-ID must be the id of an event of this log.")
    return value
