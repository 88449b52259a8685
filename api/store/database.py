"""One engine, and a thread to wait for it in, so that the event loop never waits for a disk."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import InterfaceError, OperationalError

from api.problems import unavailable

T = TypeVar("T")
_THREADS_BESIDE_SQLITE = 4


def open_engine(url: str) -> Engine:
    """SQLite in WAL mode, durable at every commit; or PostgreSQL as the URL says."""
    parsed = make_url(url)
    engine = create_engine(parsed, pool_pre_ping=not is_sqlite(url))
    if is_sqlite(url):
        event.listen(engine, "connect", _set_pragmas)
    return engine


def is_sqlite(url: str) -> bool:
    return make_url(url).get_backend_name() == "sqlite"


def _set_pragmas(connection: Any, _record: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


class Database:
    """Runs units of work, each in one transaction. Raises Problem `unavailable` when the store is away."""

    def __init__(self, url: str):
        self._engine = open_engine(url)
        # SQLite has one writer at a time anyway; one thread also keeps the memory of one connection.
        threads = 1 if is_sqlite(url) else _THREADS_BESIDE_SQLITE
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="store")

    async def run(self, work: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, self._transact, work)
        except (OperationalError, InterfaceError) as error:
            raise unavailable("The store of keys does not answer. Try again shortly.") from error

    def _transact(self, work: Callable[[Connection], T]) -> T:
        with self._engine.begin() as connection:
            return work(connection)

    async def close(self) -> None:
        self._threads.shutdown(wait=False)
        self._engine.dispose()
