"""Pages of a list: `limit`, `cursor`, and where the next page begins. Pure.

A cursor is opaque: the position after the last item, bound to its list by a checksum, so that a made-up one (or one of
another list) is refused. It grants nothing: whoever sends it still sees only their own account."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

import orjson
from pydantic import BeforeValidator, Field

from api.http.shapes import Query
from api.problems import invalid

T = TypeVar("T")
DEFAULT_LIMIT = 50
MOST = 500
_SUM = 8


def _number(value: Any) -> Any:
    if isinstance(value, str) and not (value.isascii() and value.isdigit() and len(value) < 10):
        raise ValueError(f"must be a whole number from 1 to {MOST}")
    return value


Limit = Annotated[int, BeforeValidator(_number), Field(ge=1, le=MOST, description="Most items of one page")]


class PageQuery(Query):
    limit: Limit = DEFAULT_LIMIT
    cursor: str | None = Field(default=None, max_length=2000, description="`nextCursor` of the page before")


def encode_cursor(of: str, position: Any) -> str:
    """`of` names the list (its path); `position` is JSON."""
    body = orjson.dumps(position)
    return base64.urlsafe_b64encode(_checksum(of, body) + body).decode().rstrip("=")


def decode_cursor(of: str, cursor: str) -> Any:
    """The position; 422 for a cursor that this list never gave."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _made_up() from None
    body = raw[_SUM:]
    if raw[:_SUM] != _checksum(of, body) or encode_cursor(of, orjson.loads(body)) != cursor:
        raise _made_up()
    return orjson.loads(body)


def page_of(
    items: Sequence[T], query: PageQuery, of: str, *, place: Callable[[T], Any], newest_first: bool = False
) -> tuple[Sequence[T], str | None]:
    """The page that `query` asks for, and the next cursor. `items` are sorted by `place` (backwards for newest
    first); a page goes on behind the last place shown, whether or not that item is still there."""
    if query.cursor is not None:
        after = decode_cursor(of, query.cursor)
        try:
            items = [item for item in items if (place(item) < after if newest_first else place(item) > after)]
        except TypeError:
            raise _made_up() from None
    shown = items[: query.limit]
    return shown, encode_cursor(of, place(shown[-1])) if len(items) > query.limit else None


def next_link(path: str, query: dict[str, str]) -> str:
    return f'<{path}?{urlencode(query)}>; rel="next"'


def _checksum(of: str, body: bytes) -> bytes:
    return hashlib.sha256(b"cursor\0" + of.encode() + b"\0" + body).digest()[:_SUM]


def _made_up() -> Exception:
    return invalid("?cursor", "is not a cursor of this list; leave it out to begin at the start")
