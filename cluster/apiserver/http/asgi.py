"""The ASGI application: reads requests, identifies who sends them, writes responses."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import aclosing
from typing import Any

from cluster.apiserver.access.file import Access
from cluster.apiserver.access.identity import ANONYMOUS, Identity
from cluster.apiserver.errors import ApiError, PageNotFound, unauthorized
from cluster.apiserver.http.dispatch import Dispatcher
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response, Stream, json_response, text_response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
MAX_BODY = 3 * 1024 * 1024
PEER = "setpoint.peer"
"""Where the protocol leaves the identity of a client certificate in the scope."""

log = logging.getLogger(__name__)


class Application:
    def __init__(self, dispatcher: Dispatcher, access: Access) -> None:
        self._dispatcher = dispatcher
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request: Request | None = None
        try:
            request = await self._read(scope, receive)
            answer = await self._dispatcher.answer(request)
        except ApiError as error:
            answer = json_response(error.code, error.status())
        except PageNotFound:
            answer = text_response(404, "404 page not found\n")
        except RecursionError:
            answer = json_response(400, ApiError(400, "BadRequest", "the object is nested too deeply").status())
        except ConnectionError:
            return
        except Exception:
            # The client learns nothing of what failed: objects may hold secrets.
            log.exception("%s %s failed", scope["method"], scope["path"])
            answer = json_response(500, ApiError(500, "InternalError", "Internal error occurred").status())
        if isinstance(answer, Stream):
            await _stream(answer, receive, send)
        else:
            await _send(answer, request, scope["method"] == "HEAD", send)

    async def _read(self, scope: Scope, receive: Receive) -> Request:
        method: str = scope["method"]
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        identity = self._identify(headers.get("authorization", ""), scope)
        body = await _body(headers, receive) if method in WITH_BODY else b""
        return Request(method, scope["path"], scope["query_string"], headers, body, identity)

    def _identify(self, authorization: str, scope: Scope) -> Identity:
        if authorization:
            kind, _, token = authorization.partition(" ")
            identity = self._access.identify(token.strip()) if kind.lower() == "bearer" else None
            if identity is None:
                raise unauthorized()
            return identity
        peer: Identity = scope.get(PEER) or ANONYMOUS
        return peer


async def _body(headers: dict[str, str], receive: Receive) -> bytes:
    declared = headers.get("content-length", "")
    if declared.isdigit() and int(declared) > MAX_BODY:
        raise _too_large()
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ConnectionError("the client went away")
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return body
    parts, size = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError("the client went away")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
            raise _too_large()
    return b"".join(parts)


def _too_large() -> ApiError:
    return ApiError(413, "RequestEntityTooLarge", f"the request is too large: limit is {MAX_BODY} bytes")


async def _send(answer: Response, request: Request | None, headless: bool, send: Send) -> None:
    headers = [
        (b"content-type", answer.content_type.encode()),
        (b"content-length", str(len(answer.body)).encode()),
        *((name.encode(), value.encode()) for name, value in answer.headers),
    ]
    if request is not None and request.warnings:
        headers.extend((b"warning", _warning(text)) for text in dict.fromkeys(request.warnings))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if headless else answer.body})


def _warning(text: str) -> bytes:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")
    return f'299 - "{quoted}"'.encode("latin-1", "replace")


async def _stream(answer: Stream, receive: Receive, send: Send) -> None:
    """Send chunks until they end or the client leaves."""
    headers = [(b"content-type", answer.content_type.encode()), (b"cache-control", b"no-cache, private")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    # The headers go out with the first body message: a client may wait for them before there is any event.
    await send({"type": "http.response.body", "body": b"", "more_body": True})
    leaving = asyncio.create_task(_until_gone(receive, answer.close))
    try:
        async with aclosing(answer.chunks) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        answer.close()
        leaving.cancel()


async def _until_gone(receive: Receive, close: Callable[[], None]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    close()
