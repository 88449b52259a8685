"""The event log in SQLite: the row id is the resource version, the last row of an object is the object.

A row that a newer one replaced stays for as long as watches may ask for it; `compact` removes it once the log's
horizon has passed the row that replaced it. There is no second table of objects to keep in step.
"""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cluster.apiserver.storage.codec import SecretsCodec
from cluster.apiserver.storage.records import Change, EventType

SCHEMA = """
CREATE TABLE IF NOT EXISTS log (
    rv INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, previous INTEGER,
    resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, body BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""
INSERT = "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
SELECT_EVENTS = """
SELECT e.rv, e.type, e.namespace, e.name, e.body, p.rv, p.body FROM log e LEFT JOIN log p ON p.rv = e.previous
WHERE e.rv > ? AND e.rv <= ? AND e.resource = ? ORDER BY e.rv
"""
CRASH_JUMP = 1000
PAGE = 200


class Row(NamedTuple):
    """An event as read back from the log; `previous` is the object before it, if the log still has it."""

    rv: int
    type: EventType
    namespace: str
    name: str
    body: bytes
    previous_rv: int | None
    previous: bytes | None


class Database:
    """Opens the file twice: one connection for the writer thread, one for reads on the event loop."""

    def __init__(self, path: Path, codec: SecretsCodec) -> None:
        self._codec = codec
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        self._write = _connect(path)
        self._write.executescript(SCHEMA)
        self._read = _connect(path)
        self._read.execute("PRAGMA query_only = ON")

    def begin_run(self) -> int:
        """Note that the log is in use; returns the last resource version that may have been handed out.

        After a run that did not end cleanly the versions jump, so that none is ever handed out twice even if the
        machine lost the end of the log.
        """
        last = max(self._meta("rv"), self._newest(), 1)
        if self._meta("dirty"):
            last += CRASH_JUMP
        self._write.executemany("REPLACE INTO meta VALUES (?, ?)", [("dirty", 1), ("rv", last)])
        return last

    def end_run(self, rv: int) -> None:
        self._write.executemany("REPLACE INTO meta VALUES (?, ?)", [("dirty", 0), ("rv", rv)])
        self._write.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._read.close()
        self._write.close()

    def horizon(self) -> int:
        """Events up to this version may be gone. Read once, before the writer thread starts."""
        return self._meta("horizon")

    def load(self) -> Iterator[tuple[str, str, str, int, bytes]]:
        """Every row as (resource, namespace, name, rv, body), oldest first; a body of b"" means deleted."""
        rows = self._write.execute("SELECT resource, namespace, name, rv, type, body FROM log ORDER BY rv")
        for resource, namespace, name, rv, kind, body in rows:
            gone = kind == "DELETED"
            yield resource, namespace, name, rv, b"" if gone else self._codec.open(resource, namespace, name, body)

    def insert(self, changes: Sequence[Change]) -> None:
        """Open a transaction with all of `changes` in it."""
        now = int(time.time())
        self._write.execute("BEGIN IMMEDIATE")
        self._write.executemany(INSERT, [self._row(change, now) for change in changes])

    def commit(self, compactions: Iterable[tuple[int, int]] = ()) -> None:
        """Forget what is too old and bring the open transaction to the disk; for the writer thread: it takes time."""
        for low, high in compactions:
            self._compact(low, high)
        self._write.execute("COMMIT")

    def events(self, resource: str, after: int, until: int) -> Iterator[Row]:
        """The committed events with after < rv <= until, oldest first."""
        cursor = self._read.execute(SELECT_EVENTS, (after, until, resource))
        while rows := cursor.fetchmany(PAGE):
            for rv, kind, namespace, name, body, previous_rv, previous in rows:
                opened = self._codec.open(resource, namespace, name, body)
                before = self._codec.open(resource, namespace, name, previous) if previous is not None else None
                yield Row(rv, kind, namespace, name, opened, previous_rv, before)

    def version_at(self, moment: int, low: int, high: int) -> int:
        """The newest version in low..high that was written before `moment` (seconds since 1970), by binary search."""
        while low < high:
            middle = (low + high + 1) // 2
            row = self._read.execute("SELECT at FROM log WHERE rv >= ? ORDER BY rv LIMIT 1", (middle,)).fetchone()
            if row is not None and row[0] < moment:
                low = middle
            else:
                high = middle - 1
        return low

    def _row(self, change: Change, now: int) -> tuple[object, ...]:
        record = change.record
        body = self._codec.seal(change.resource, record.namespace, record.name, record.body)
        previous = change.previous.rv if change.previous is not None else None
        return (record.rv, now, change.type, previous, change.resource, record.namespace, record.name, body)

    def _compact(self, low: int, high: int) -> None:
        replaced = "DELETE FROM log WHERE rv IN (SELECT previous FROM log WHERE rv > ? AND rv <= ?)"
        self._write.execute(replaced, (low, high))
        self._write.execute("DELETE FROM log WHERE rv > ? AND rv <= ? AND type = 'DELETED'", (low, high))
        self._write.execute("REPLACE INTO meta VALUES ('horizon', ?)", (high,))

    def _meta(self, key: str) -> int:
        row = self._write.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return int(row[0]) if row else 0

    def _newest(self) -> int:
        return int(self._write.execute("SELECT coalesce(max(rv), 0) FROM log").fetchone()[0])


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA cache_size = -2048")
    connection.execute("PRAGMA busy_timeout = 5000")
    return connection
