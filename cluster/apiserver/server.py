"""Puts the parts together and serves until told to stop."""

import asyncio
import contextlib
import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn

from cluster.apiserver.access.file import Access
from cluster.apiserver.collect.collector import Collector
from cluster.apiserver.collect.definitions import serve_committed
from cluster.apiserver.config import ApiServerConfig
from cluster.apiserver.http.asgi import Application
from cluster.apiserver.http.dispatch import Dispatcher
from cluster.apiserver.http.protocol import CertificateProtocol
from cluster.apiserver.kinds.builtin.table import SECRETS, built_in_resources
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.storage.codec import SecretsCodec, load_or_make_key
from cluster.apiserver.storage.database import Database
from cluster.apiserver.storage.store import Store
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.watching.hub import Hub

HOUSEKEEPING_SECONDS = 5.0
GRACE_SECONDS = 3
KEEP_ALIVE_SECONDS = 120
BACKLOG = 512


async def run(config: ApiServerConfig, ready: Callable[[], None] = lambda: None) -> None:
    """Serve until cancelled, SIGTERM or SIGINT. Calls `ready` when requests are answered.

    Raises what went wrong when a commit fails: nothing that was not on disk has been acknowledged then.
    """
    store = _open_store(config.data_dir)
    context = Context(store, Registry(built_in_resources()), Access(config.access_file), Hub())
    collector = Collector(context)
    await collector.start()
    store.listeners.append(lambda changes: serve_committed(context, changes))
    store.listeners.append(context.hub.publish)
    store.listeners.append(collector.notice)
    tasks = [asyncio.create_task(collector.run()), asyncio.create_task(_housekeeping(context))]
    try:
        await _serve(config, context, ready)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await store.close()


def _open_store(data_dir: Path) -> Store:
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    codec = SecretsCodec(load_or_make_key(data_dir / "secrets.key"), frozenset({SECRETS}))
    return Store(Database(data_dir / "state.db", codec))


async def _serve(config: ApiServerConfig, context: Context, ready: Callable[[], None]) -> None:
    listener = _listen(config.host, config.port)
    server = _Server(_settings(config, Application(Dispatcher(context), context.access)), context.hub, ready)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        with _signals(server, context.access):
            await asyncio.wait((serving, context.store.failed), return_when=asyncio.FIRST_COMPLETED)
        if context.store.failed.done():
            context.store.failed.result()
    finally:
        server.stop()
        await serving
        listener.close()


def _settings(config: ApiServerConfig, application: Application) -> uvicorn.Config:
    settings = uvicorn.Config(
        application,  # type: ignore[arg-type]
        http=CertificateProtocol,
        ws="none",
        loop="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ssl_certfile=str(config.tls_cert),
        ssl_keyfile=str(config.tls_key),
        ssl_ca_certs=str(config.client_ca) if config.client_ca else None,
        ssl_cert_reqs=ssl.CERT_OPTIONAL if config.client_ca else ssl.CERT_NONE,
    )
    settings.load()
    assert settings.ssl is not None
    settings.ssl.minimum_version = ssl.TLSVersion.TLSv1_2
    return settings


class _Server(uvicorn.Server):
    """Ends open watches when it shuts down, and leaves the process's signals alone."""

    def __init__(self, config: uvicorn.Config, hub: Hub, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._hub = hub
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._hub.close()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        self._hub.close()
        self.should_exit = True


def _listen(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.bind((host, port))
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


@contextlib.contextmanager
def _signals(server: _Server, access: Access) -> Iterator[None]:
    """SIGTERM and SIGINT stop the server, SIGHUP reads the access file again (main thread only)."""
    loop = asyncio.get_running_loop()
    handlers = {signal.SIGTERM: server.stop, signal.SIGINT: server.stop, signal.SIGHUP: access.refresh}
    installed: list[signal.Signals] = []
    with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler)
            installed.append(number)
    try:
        yield
    finally:
        for number in installed:
            loop.remove_signal_handler(number)


async def _housekeeping(context: Context) -> None:
    """Forget old events; notice rights that were taken away."""
    while True:
        await asyncio.sleep(HOUSEKEEPING_SECONDS)
        context.store.compact()
        context.access.refresh()
