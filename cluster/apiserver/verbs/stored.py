"""The two halves of a write: a verb works out what is to be stored, wherever that is done, and answers with what is
still to be awaited; that half touches the store, and so belongs to the event loop."""

from collections.abc import Awaitable

from cluster.apiserver.http.response import Response


class Stale(Exception):
    """The object has changed since the first half looked at it: do both again."""


async def stored(code: int, body: Awaitable[bytes]) -> Response:
    return Response(code, await body)
