"""The one holder of state: reads see what is committed, writers see what is about to be."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator

from cluster.apiserver.errors import expired, storage_failed
from cluster.apiserver.storage.database import Database, Row
from cluster.apiserver.storage.records import Change, Record, load_record, record_of
from cluster.apiserver.storage.table import Table
from cluster.apiserver.storage.writer import Writer
from cluster.apiserver.types import Json, Key

KEEP_EVENTS = 50_000
KEEP_SECONDS = 3600
COMPACT_STEP = 5_000

log = logging.getLogger(__name__)

Listener = Callable[[list[Change]], None]


class Store:
    """Objects by resource name and key.

    A write stages its object in memory first, so that the next write to the same object builds on it, and is
    acknowledged and told to the listeners only once the log has it on disk.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables: dict[str, Table] = {}
        self._staged: dict[tuple[str, Key], tuple[Record | None, int]] = {}
        self._waiters: dict[int, asyncio.Future[None]] = {}
        self.listeners: list[Listener] = []
        self.horizon = database.horizon()
        self._load()
        self._next = database.begin_run()
        self.version = self._next
        """The newest committed resource version."""
        self._writer = Writer(database, self._committed)
        self.failed.add_done_callback(self._give_up)

    @property
    def failed(self) -> "asyncio.Future[None]":
        """Fails with the database's error when a commit fails; the process must end then."""
        return self._writer.failed

    def table(self, resource: str) -> Table:
        """The committed objects; an empty table for a resource that has none."""
        table = self._tables.get(resource)
        if table is None:
            table = self._tables[resource] = Table()
        return table

    def tables(self) -> list[tuple[str, Table]]:
        return list(self._tables.items())

    def get(self, resource: str, key: Key) -> Record | None:
        return self.table(resource).records.get(key)

    def latest(self, resource: str, key: Key) -> Record | None:
        """The object as the next write finds it, committed or not."""
        staged = self._staged.get((resource, key))
        return staged[0] if staged is not None else self.get(resource, key)

    async def put(self, resource: str, obj: Json, previous: Record | None) -> Record:
        """Write `obj` (its resourceVersion is set here) over `previous`, which must be `latest`'s answer."""
        self._next += 1
        record = record_of(obj, self._next)
        await self._submit(Change("MODIFIED" if previous else "ADDED", resource, record, previous), record)
        return record

    async def remove(self, resource: str, obj: Json, previous: Record) -> Record:
        """Delete; `obj` is what watchers see of it, with the new resource version."""
        self._next += 1
        record = record_of(obj, self._next)
        await self._submit(Change("DELETED", resource, record, previous), None)
        return record

    async def settled(self, resource: str, key: Key) -> None:
        """Returns when what `latest` says of the object is on the disk. Raises the error of a failed commit."""
        staged = self._staged.get((resource, key))
        if staged is not None:
            await asyncio.shield(self._waiters[staged[1]])

    async def all_settled(self) -> None:
        """Returns when everything that `latest` says by now is on the disk. Raises the error of a failed commit."""
        waiter = self._waiters.get(self._next)
        if waiter is not None:
            await asyncio.shield(waiter)

    def events(self, resource: str, after: int, until: int) -> Iterator[Row]:
        """Events after < rv <= until from the log. Raises the 410 of `expired` when they are gone."""
        self.require_retained(after)
        return self._database.events(resource, after, until)

    def require_retained(self, version: int) -> None:
        if version < self.horizon:
            raise expired(f"too old resource version: {version} ({self.horizon})")

    def state_at(self, resource: str, version: int) -> dict[Key, Record | None]:
        """What differs from the committed table if one looks at it as of `version`: None is not there yet."""
        undo: dict[Key, Record | None] = {}
        if self.table(resource).changed_at <= version:
            self.require_retained(version)
            return undo
        for row in self.events(resource, version, self.version):
            key = (row.namespace, row.name)
            if key not in undo:
                undo[key] = load_record(row.previous, row.previous_rv) if row.previous and row.previous_rv else None
        return undo

    def replace_quietly(self, resource: str, record: Record) -> None:
        """Another encoding of a committed object (a new default shows): same version, no event."""
        self.table(resource).records[record.key] = record

    def version_before(self, seconds: float) -> int:
        """The newest version that is older than that."""
        return self._database.version_at(int(time.time() - seconds), 0, self.version)

    def compact(self) -> None:
        """Let the log forget what is too old; called now and then."""
        high = self._database.version_at(int(time.time()) - KEEP_SECONDS, self.horizon, self.version)
        high = min(max(high, self.version - KEEP_EVENTS), self.horizon + COMPACT_STEP)
        if high > self.horizon:
            low, self.horizon = self.horizon, high
            self._writer.compact(low, high)

    def compact_to(self, version: int) -> None:
        """Forget all events up to `version` now."""
        high = min(version, self.version)
        if high > self.horizon:
            low, self.horizon = self.horizon, high
            self._writer.compact(low, high)

    async def close(self) -> None:
        await self._writer.close()
        if not self.failed.done():
            self._database.end_run(self._next)

    def _load(self) -> None:
        found: dict[str, dict[Key, tuple[int, bytes]]] = {}
        newest: dict[str, int] = {}
        for resource, namespace, name, rv, body in self._database.load():
            objects = found.setdefault(resource, {})
            newest[resource] = rv
            if body:
                objects[(namespace, name)] = (rv, body)
            else:
                objects.pop((namespace, name), None)
        for resource, objects in found.items():
            records = {key: load_record(body, rv) for key, (rv, body) in objects.items()}
            self.table(resource).fill(records, newest[resource])

    async def _submit(self, change: Change, staged: Record | None) -> None:
        if self.failed.done():
            raise storage_failed()
        version = change.record.rv
        self._staged[(change.resource, change.record.key)] = (staged, version)
        waiter = self._waiters[version] = asyncio.get_running_loop().create_future()
        self._writer.submit(change)
        # A client that goes away does not take its write back: the log has it already, or soon will.
        await asyncio.shield(waiter)

    def _committed(self, batch: list[Change]) -> None:
        for change in batch:
            self._apply(change)
        if batch:
            self.version = batch[-1].record.rv
        for listener in self.listeners:
            try:
                listener(batch)
            except Exception:
                # These writes are on the disk: whoever waits for them must hear of it.
                log.exception("a listener failed on %d committed changes", len(batch))
        for change in batch:
            waiter = self._waiters.pop(change.record.rv)
            if not waiter.done():
                waiter.set_result(None)

    def _give_up(self, _: "asyncio.Future[None]") -> None:
        """Whether these writes are on the disk is unknown: nobody is told that they are."""
        for waiter in self._waiters.values():
            if not waiter.done():
                waiter.set_exception(storage_failed())
        self._waiters.clear()

    def _apply(self, change: Change) -> None:
        record = change.record
        slot = (change.resource, record.key)
        if self._staged[slot][1] == record.rv:
            del self._staged[slot]
        if change.type == "DELETED":
            self.table(change.resource).remove(record.key, record.rv)
        else:
            self.table(change.resource).put(record)
