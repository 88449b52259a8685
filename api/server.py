"""The API's part: starts everything it needs, serves, and stops it in reverse."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager

import orjson
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.config import ApiConfig
from api.http.adapter import Adapter
from api.http.openapi import document
from api.http.ratelimit import RateLimit
from api.identity.credentials import Credentials
from api.inspecting import Inspector
from api.platform import Platform
from api.records.cache import Feed, Records
from api.records.editor import Editor
from api.records.ownership import API
from api.runtime.local import LocalRuntime
from api.store.database import Database
from api.store.migrate import migrate
from api.table import TABLE
from crds.client.client import Client

__all__ = ["ApiConfig", "run"]

_STOP_SECONDS = 3
_API_VERSION = "1.0.0"
# Made when this is imported: before the fork, so that what it takes to make it is nobody's own.
_OPENAPI = orjson.dumps(document(TABLE, _API_VERSION))


async def run(config: ApiConfig, inspector: Inspector) -> None:
    """Serve until cancelled. Open streams are ended, not waited for."""
    config.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    await asyncio.to_thread(migrate, config.sql_url)
    async with platform(config, inspector) as made:
        await _serve(made)


@asynccontextmanager
async def platform(config: ApiConfig, inspector: Inspector) -> AsyncIterator[Platform]:
    """What the handlers work with, with its watches and background work running."""
    client = await Client.open(config.kubeconfig, API)
    database = Database(config.sql_url)
    credentials = Credentials(database)
    records = Records()
    feed = Feed(client, records)
    runtime = LocalRuntime.open(
        cert=config.tls_cert, key=config.tls_key, ca=config.tls_ca, nodes=records.nodes, client=client
    )
    tasks = [asyncio.create_task(feed.run()), asyncio.create_task(credentials.note_uses())]
    try:
        yield Platform(
            config=config,
            records=records,
            editor=Editor(client),
            database=database,
            credentials=credentials,
            runtime=runtime,
            inspector=inspector,
            ready=lambda: feed.synced,
            webhook_limit=RateLimit(config.rate_per_minute, "webhook"),
            openapi=_OPENAPI,
        )
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await credentials.note_uses_now()
        await runtime.close()
        await client.close()
        await database.close()


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: who starts this part says when it ends."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


async def _serve(made: Platform) -> None:
    config = made.config
    server = _Server(
        uvicorn.Config(
            Adapter(TABLE, made),
            host=config.host,
            port=config.port,
            loop="none",
            http=HttpToolsProtocol,
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_STOP_SECONDS,
        )
    )
    serving = asyncio.create_task(server.serve())
    try:
        await asyncio.shield(serving)
    finally:
        made.closing.set()
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await serving
