"""Answers as bytes on the wire."""

from functools import lru_cache
from http import HTTPStatus

import orjson

from cluster.apiserver.http.response import Response, Stream

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
REASONS = {status.value: status.phrase for status in HTTPStatus}


def head(answer: Response, keep_alive: bool) -> bytes:
    lines = _first_lines(answer.status, answer.content_type)
    if answer.status != 304:
        lines += f"content-length: {len(answer.body)}\r\n"
    for name, value in answer.headers:
        lines += f"{name}: {value}\r\n"
    if not keep_alive:
        lines += "connection: close\r\n"
    return (lines + "\r\n").encode("latin-1", "replace")


@lru_cache(maxsize=256)
def _first_lines(status: int, content_type: str) -> str:
    """Caches write what a 304 says over what they kept: it has nothing to say of a body."""
    first = f"HTTP/1.1 {status} {REASONS.get(status, '')}\r\n"
    return first if status == 304 else f"{first}content-type: {content_type}\r\n"


def stream_head(answer: Stream) -> bytes:
    return (
        f"HTTP/1.1 200 OK\r\ncontent-type: {answer.content_type}\r\ncache-control: no-cache, private\r\n"
        "transfer-encoding: chunked\r\n\r\n"
    ).encode("latin-1")


def chunk(data: bytes) -> bytes:
    """One chunk; an empty one ends the stream."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def refusal(status: int, message: str) -> bytes:
    """The last thing that is said on a connection that is closed."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "code": status,
    }
    answer = Response(status, orjson.dumps({**body, "code": status}))
    return head(answer, keep_alive=False) + answer.body
