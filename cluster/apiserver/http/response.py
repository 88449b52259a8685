"""What a handler answers: a whole body or a stream of chunks."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import orjson

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
# Of what may be kept for as long as one asks each time whether it is still so.
ASK_AGAIN = "no-cache, private"
_NOT_KEPT = (("cache-control", ASK_AGAIN),)


class Response:
    __slots__ = ("body", "content_type", "headers", "status")

    def __init__(
        self,
        status: int,
        body: bytes,
        content_type: str = JSON,
        headers: Sequence[tuple[str, str]] = _NOT_KEPT,
    ) -> None:
        self.status = status
        self.body = body
        self.content_type = content_type
        self.headers = headers


class Stream:
    """An answer without an end that is known; each chunk is sent at once. `close` ends it from outside."""

    __slots__ = ("chunks", "close", "content_type")

    def __init__(self, chunks: AsyncIterator[bytes], close: Callable[[], None], content_type: str = JSON) -> None:
        self.chunks = chunks
        self.close = close
        self.content_type = content_type


def json_response(status: int, value: Any) -> Response:
    return Response(status, orjson.dumps(value))


def text_response(status: int, text: str) -> Response:
    return Response(status, text.encode(), TEXT)
