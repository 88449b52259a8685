"""From a parsed request to an answer: identifies who sends it, dispatches it, turns failures into `Status` objects."""

import logging
from collections.abc import Awaitable, Iterable

from cluster.apiserver.access.access import Access
from cluster.apiserver.access.identity import ANONYMOUS, Identity
from cluster.apiserver.errors import ApiError, PageNotFound, unauthorized
from cluster.apiserver.http.dispatch import Answer, Dispatcher
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response, Stream, json_response, text_response

MAX_WARNINGS = 4096
MAX_WARNING = 256

log = logging.getLogger(__name__)


class Application:
    """What is known at once is answered at once: a read of one object costs no task."""

    def __init__(self, dispatcher: Dispatcher, access: Access) -> None:
        self._dispatcher = dispatcher
        self._access = access

    def answer(
        self, method: str, path: str, query: bytes, headers: dict[str, str], body: bytes, peer: Identity | None
    ) -> Answer | Awaitable[Answer]:
        try:
            identity = self._identify(headers.get("authorization", ""), peer)
            _refuse_impersonation(headers)
            request = Request(method, path, query, headers, body, identity)
            answer = self._dispatcher.answer(request)
        except Exception as error:
            return _failure(error, method, path)
        if isinstance(answer, Response | Stream):
            return _with_warnings(answer, request)
        return self._later(request, answer)

    async def _later(self, request: Request, answer: Awaitable[Answer]) -> Answer:
        try:
            found = await answer
        except Exception as error:
            found = _failure(error, request.method, request.path)
        return _with_warnings(found, request)

    def _identify(self, authorization: str, peer: Identity | None) -> Identity:
        if not authorization:
            return peer or ANONYMOUS
        kind, _, token = authorization.partition(" ")
        identity = self._access.identify(token.strip()) if kind.lower() == "bearer" else None
        if identity is None:
            raise unauthorized()
        return identity


def _refuse_impersonation(headers: dict[str, str]) -> None:
    """Answered as oneself instead, it would be a wrong success."""
    if "impersonate-user" in headers or "impersonate-group" in headers or "impersonate-uid" in headers:
        raise ApiError(403, "Forbidden", "this API server offers no impersonation: use a token of that user", {})


def _failure(error: Exception, method: str, path: str) -> Response:
    if isinstance(error, PageNotFound):
        return text_response(404, "404 page not found\n")
    if isinstance(error, RecursionError):
        error = ApiError(400, "BadRequest", "the object is nested too deeply")
    if not isinstance(error, ApiError):
        # The client learns nothing of what failed: objects may hold secrets.
        log.error("%s %s failed", method, path, exc_info=error)
        error = ApiError(500, "InternalError", "Internal error occurred")
    return json_response(error.code, error.status())


def _with_warnings(answer: Answer, request: Request) -> Answer:
    if request.warnings and isinstance(answer, Response):
        told = [("warning", _warning(text)) for text in _bounded(dict.fromkeys(request.warnings))]
        answer.headers = [*answer.headers, *told]
    return answer


def _bounded(warnings: Iterable[str]) -> list[str]:
    """As many as a client's buffer for headers takes, and the real server sends."""
    told: list[str] = []
    left = MAX_WARNINGS
    for text in warnings:
        short = text[:MAX_WARNING]
        left -= len(short)
        if left < 0:
            break
        told.append(short)
    return told


def _warning(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")
    return f'299 - "{quoted}"'
