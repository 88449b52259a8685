"""An https listener for other parts of the platform: mutual TLS, and only the named parts get in.

    endpoint = await serve(routes, host=..., port=0, cert=..., key=..., ca=..., allowed=frozenset({"setpoint:api"}))
    ...                        # endpoint.url is https://host:port
    await endpoint.close()

Handlers are aiohttp.web handlers; one whose client leaves is cancelled.
"""

import ssl
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Endpoint:
    """A running listener; `url` has the port that was really taken."""

    url: str
    _runner: web.AppRunner

    async def close(self) -> None:
        await self._runner.cleanup()


async def serve(
    routes: Iterable[web.AbstractRouteDef],
    *,
    host: str,
    port: int,
    cert: Path,
    key: Path,
    ca: Path,
    allowed: frozenset[str],
) -> Endpoint:
    """Listen (port 0: any free one). `allowed` holds the common names that a client's certificate may carry.

    Raises OSError when the address is taken or a file cannot be read."""
    app = web.Application(middlewares=[_gate(allowed)])
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0, handler_cancellation=True)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port, ssl_context=_tls(cert, key, ca))
        await site.start()
    except BaseException:
        await runner.cleanup()
        raise
    return Endpoint(f"https://{host}:{runner.addresses[0][1]}", runner)


def _tls(cert: Path, key: Path, ca: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(ca))
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(cert, key)
    return context


def _gate(allowed: frozenset[str]) -> Any:
    @web.middleware
    async def gate(request: web.Request, handler: Handler) -> web.StreamResponse:
        if common_name(request) not in allowed:
            return problem(403, "This certificate may not read here.")
        return await handler(request)

    return gate


def common_name(request: web.Request) -> str:
    """The common name of the client's certificate (TLS has checked who signed it); empty without one."""
    certificate = request.get_extra_info("peercert") or {}
    names = [value for part in certificate.get("subject", ()) for name, value in part if name == "commonName"]
    return names[0] if len(names) == 1 else ""


def problem(status: int, detail: str) -> web.Response:
    """An error as application/problem+json."""
    body = orjson.dumps({"status": status, "detail": detail})
    return web.Response(status=status, body=body, content_type="application/problem+json")


def json_answer(data: Any) -> web.Response:
    return web.Response(body=orjson.dumps(data), content_type="application/json")
