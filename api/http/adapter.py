"""The one path that every request takes, in this order of refusals: no such path 404, method 405, credential 401,
rate 429, host 421, size 413, media type 415, scope 403, object 404, JSON 400, fields 422, precondition 412, state
409."""

import logging
import re
import secrets
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from starlette.types import Receive, Scope, Send

from api.http.access import Access
from api.http.call import BODY_LIMIT, Call, ClientGone
from api.http.endpoint import Endpoint
from api.http.idempotency import KeptAnswers
from api.http.origin import Hosts, Proxies
from api.http.reply import Reply, problem_reply, reply_to, send_events, send_reply
from api.http.routing import Routes
from api.http.shapes import NoBody, NoQuery
from api.http.validation import parse_body, parse_query
from api.platform import Platform
from api.problems import Problem
from api.records.editor import refusal
from crds.client.errors import ApiError

_log = logging.getLogger(__name__)
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")


class Adapter:
    """The ASGI application."""

    def __init__(self, table: Iterable[Endpoint], platform: Platform):
        self._routes = Routes(table)
        self._platform = platform
        self._access = Access(platform)
        self._hosts = Hosts(platform.config.host_names)
        self._proxies = Proxies(platform.config.trusted_proxies)
        self._kept = KeptAnswers(platform.database, platform.now)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        call = Call(self._platform, scope, receive)
        call.request_id = _request_id(call)
        try:
            reply = await self._answer(call)
        except ClientGone:
            return
        except Problem as problem:
            await call.let_finish()
            reply = problem_reply(problem, call.request_id)
        except ApiError as error:
            # Not its message: it may quote what was to be written.
            _log.info("request %s: state store: %s %s", call.request_id, error.status, error.reason)
            reply = problem_reply(refusal(error), call.request_id)
        except Exception:
            _log.exception("request %s: %s %s failed", call.request_id, call.method, quote(call.path))
            reply = problem_reply(_internal(), call.request_id)
        _note(call, reply.status)
        reply.headers.append((b"x-request-id", call.request_id.encode()))
        reply.headers += call.limit_headers
        await self._send(call, reply, send)

    async def _send(self, call: Call, reply: Reply, send: Send) -> None:
        if reply.events is not None and call.method == "HEAD":
            await reply.events.aclose()
            reply.events = None
        if reply.events is None:
            await send_reply(reply, send)
        else:
            await send_events(reply, send, [call.gone, self._platform.closing.wait])

    async def _answer(self, call: Call) -> Reply:
        self._route(call)
        endpoint = call.endpoint
        call.address = self._proxies.client(call.address, call.header(b"x-forwarded-for"))
        if endpoint.needs_credential:
            await self._access.authenticate(call)
        if endpoint.path.startswith("/v1/"):
            self._hosts.check(call.headers.get(b"host", b""))
        if not endpoint.raw_body:
            await _read(call)
        if endpoint.needs_credential:
            self._access.authorise(call)
        if endpoint.of is not None:
            endpoint.of(call)
        _validate(call)
        if call.method == "POST" and endpoint.needs_credential and call.idempotency_key and not endpoint.streams:
            request = b"\0".join((call.method.encode(), call.path.encode(), call.query_string, call.raw))
            return await self._kept.once(call.credential.id, call.idempotency_key, request, lambda: _handle(call))
        return await _handle(call)

    def _route(self, call: Call) -> None:
        match = self._routes.match(call.method, call.path)
        if match is None:
            raise Problem("not_found", "No such path. GET /v1/openapi.json lists all that there are.")
        if match.endpoint is None:
            raise Problem("method_not_allowed", f"Use one of: {match.allow}.", headers={"Allow": match.allow})
        call.endpoint = match.endpoint
        call.params = match.params


async def _handle(call: Call) -> Reply:
    result: Any = await call.endpoint.handler(call)
    return reply_to(call, result)


async def _read(call: Call) -> None:
    headers = call.headers
    if b"content-length" not in headers and b"transfer-encoding" not in headers:
        return
    call.raw = b"".join([chunk async for chunk in call.chunks(BODY_LIMIT)])
    media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if call.raw and media_type != b"application/json":
        raise Problem("unsupported_media_type", "Send JSON, with the header Content-Type: application/json.")


def _validate(call: Call) -> None:
    """Nothing sent where nothing is needed is not worth a parser: that is most requests."""
    endpoint = call.endpoint
    if not endpoint.raw_body and (call.raw or endpoint.takes is not NoBody):
        call.body = parse_body(call.raw, endpoint.takes)
    if endpoint.query is not NoQuery:
        call.query = parse_query(call.query_string, endpoint.query)


def _request_id(call: Call) -> str:
    given = call.headers.get(b"x-request-id")
    if given is not None and _REQUEST_ID.fullmatch(given):
        return given.decode()
    return secrets.token_hex(16)


def _note(call: Call, status: int) -> None:
    """Reading that went well is not worth a line; every change and every refusal is."""
    if status >= 400 or call.method not in ("GET", "HEAD"):
        _log.info("request %s: %s %s from %s: %d", call.request_id, call.method, quote(call.path), call.address, status)


def _internal() -> Problem:
    return Problem("internal", "The request failed on our side. Repeat it; if it fails again, report its id.")
