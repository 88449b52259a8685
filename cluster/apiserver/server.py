"""Puts the parts together and serves until told to stop."""

import asyncio
import contextlib
import signal
import socket
import sqlite3
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

from cluster.apiserver.access.access import Access
from cluster.apiserver.access.rbac import KINDS, Rbac
from cluster.apiserver.access.service_accounts import ServiceAccounts, load_or_make_signing_key
from cluster.apiserver.access.token_file import TokenFile
from cluster.apiserver.collect.collector import Collector
from cluster.apiserver.collect.definitions import serve_committed
from cluster.apiserver.collect.events import expire_events
from cluster.apiserver.collect.rights import ensure_rights
from cluster.apiserver.config import ApiServerConfig
from cluster.apiserver.http.application import Application
from cluster.apiserver.http.dispatch import Dispatcher
from cluster.apiserver.http.protocol import HttpProtocol
from cluster.apiserver.kinds.builtin.table import SECRETS, SERVICE_ACCOUNTS, built_in_resources
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.storage.codec import SecretsCodec, load_or_make_key
from cluster.apiserver.storage.database import Database
from cluster.apiserver.storage.store import Store
from cluster.apiserver.types import Key
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.watching.hub import Hub

HOUSEKEEPING_SECONDS = 5.0
GRACE_SECONDS = 3.0
HANDSHAKE_SECONDS = 10.0
FAREWELL_SECONDS = 0.5
BACKLOG = 512


class StoreFailed(Exception):
    """The database does not take or give what it should; the message says what may be done."""


async def run(config: ApiServerConfig, ready: Callable[[], None] = lambda: None) -> None:
    """Serve until cancelled, SIGTERM or SIGINT. Calls `ready` when requests are answered.

    Raises StoreFailed, when a commit fails above all: nothing that was not on disk has been acknowledged then.
    """
    try:
        await _run(config, ready)
    except sqlite3.Error as error:
        raise StoreFailed(
            f"The store cannot be used ({error}): make room on the disk of {config.data_dir} if it is full, and look "
            "after it if it is not. Nothing that was acknowledged is lost."
        ) from error


async def _run(config: ApiServerConfig, ready: Callable[[], None]) -> None:
    store = _open_store(config.data_dir)
    access = _access(config, store)
    context = Context(store, Registry(built_in_resources()), access, Hub())
    # First of all: before watchers hear of a right that was taken away, it is.
    store.listeners.append(access.rbac.notice)
    collector = Collector(context)
    await collector.start()
    await ensure_rights(context)
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


def _access(config: ApiServerConfig, store: Store) -> Access:
    rbac = Rbac()
    for resource in KINDS:
        for record in store.table(resource).scan():
            rbac.learn(resource, record)

    def uid_of(account: Key) -> str | None:
        record = store.get(SERVICE_ACCOUNTS, account)
        return record.uid if record is not None else None

    key = load_or_make_signing_key(config.data_dir / "service-accounts.key")
    return Access(TokenFile(config.access_file), ServiceAccounts(key, uid_of), rbac)


async def _serve(config: ApiServerConfig, context: Context, ready: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    application = Application(Dispatcher(context), context.access)
    connections: set[HttpProtocol] = set()
    stopping = asyncio.Event()
    server = await loop.create_server(
        lambda: HttpProtocol(application, connections),
        sock=_listen(config.host, config.port),
        ssl=_tls(config),
        ssl_handshake_timeout=HANDSHAKE_SECONDS,
        ssl_shutdown_timeout=FAREWELL_SECONDS,
    )
    try:
        with _signals(stopping, context.access):
            ready()
            stop = asyncio.ensure_future(stopping.wait())
            await asyncio.wait((stop, context.store.failed), return_when=asyncio.FIRST_COMPLETED)
            stop.cancel()
        if context.store.failed.done():
            context.store.failed.result()
    finally:
        server.close()
        context.hub.close()
        await _finish(connections)


async def _finish(connections: set[HttpProtocol]) -> None:
    """Let what is under way be answered, for a moment."""
    deadline = asyncio.get_running_loop().time() + GRACE_SECONDS
    while connections:
        for connection in list(connections):
            connection.finish()
        if asyncio.get_running_loop().time() > deadline:
            for connection in list(connections):
                connection.abort()
            return
        await asyncio.sleep(0.01)


def _tls(config: ApiServerConfig) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(config.tls_cert, config.tls_key)
    context.set_alpn_protocols(["http/1.1"])
    if config.client_ca is not None:
        context.load_verify_locations(config.client_ca)
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def _listen(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.bind((host, port))
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


@contextlib.contextmanager
def _signals(stopping: asyncio.Event, access: Access) -> Iterator[None]:
    """SIGTERM and SIGINT stop the server, SIGHUP reads the access file again (main thread only)."""
    loop = asyncio.get_running_loop()
    handlers = {signal.SIGTERM: stopping.set, signal.SIGINT: stopping.set, signal.SIGHUP: access.tokens.refresh}
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
    """Forget what is too old; notice rights that were taken away."""
    while True:
        await asyncio.sleep(HOUSEKEEPING_SECONDS)
        context.store.compact()
        context.access.tokens.refresh()
        await expire_events(context)
