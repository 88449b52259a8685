"""Answers that a client may keep: with a tag by which it asks whether they are still the same."""

import hashlib

from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response

KEEP = "public"


def digest(body: bytes) -> str:
    return hashlib.sha512(body).hexdigest().upper()


def tagged(request: Request, answer: Response, tag: str, cache: str, *more: tuple[str, str]) -> Response:
    """304 in place of the answer for who has it. `tag`: the digest of its body."""
    headers = [*tag_headers(tag, cache), *more]
    if request.headers.get("if-none-match") == f'"{tag}"':
        return Response(304, b"", "", headers)
    return Response(answer.status, answer.body, answer.content_type, headers)


def tag_headers(tag: str, cache: str) -> list[tuple[str, str]]:
    return [("cache-control", cache), ("etag", f'"{tag}"'), ("vary", "Accept")]
