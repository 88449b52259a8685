"""Writing a record's status: only what changed, by resource version, the newest wish wins."""

import asyncio
import contextlib
import logging
from typing import Any, Generic, TypeVar

from crds.client.backoff import pause_after
from crds.client.client import Client
from crds.client.errors import ApiError, Conflict, NotFound
from crds.client.store import Store
from crds.models.record import Record

R = TypeVar("R", bound=Record)
_log = logging.getLogger(__name__)


async def write_status(client: Client, store: Store[R], record: R, status: dict[str, Any]) -> R | None:
    """Merge it in (None removes a field); None when the record is gone. Raises ApiError for what may pass."""
    for _ in range(8):
        changed = difference(record, status)
        if not changed:
            return record
        try:
            answer = await client.patch_status(record, changed)
        except Conflict:
            newest = await current(client, record)
            if newest is None:
                return None
            record = newest
            continue
        except NotFound:
            return None
        store.upsert(answer)
        return answer
    raise Conflict(f"The status of {record.name} is written by somebody else all the time.", status=409)


async def persist(client: Client, store: Store[R], record: R, status: dict[str, Any]) -> R | None:
    """As `write_status`, again and again until the API server takes it (or the record is gone)."""
    failures = 0
    while True:
        try:
            return await write_status(client, store, store.by_uid(record.uid) or record, status)
        except ApiError as error:
            failures += 1
            _log.info("status of %s: %s", record.name, error)
            await asyncio.sleep(pause_after(failures))


async def current(client: Client, record: R) -> R | None:
    """What the server has of that very record now."""
    try:
        newest = await client.get(type(record), record.name, record.metadata.namespace)
    except NotFound:
        return None
    return newest if newest.uid == record.uid else None


def difference(record: Record, status: dict[str, Any]) -> dict[str, Any]:
    """The fields of the wish that the record does not say yet."""
    said = record.wire().get("status", {})
    return {name: value for name, value in status.items() if said.get(name) != value}


class Reporter(Generic[R]):
    """Keeps one record's status as it is wished, in the background."""

    def __init__(self, client: Client, store: Store[R], record: R):
        self._client = client
        self._store = store
        self.record = record
        self._wish: dict[str, Any] = {}
        self._wished = asyncio.Event()
        self._task = asyncio.ensure_future(self._run())

    def wish(self, **status: Any) -> None:
        """These fields, as they are on the wire; what was wished before and not named now stays."""
        self._wish.update(status)
        self._wished.set()

    async def _run(self) -> None:
        failures = 0
        while True:
            await self._wished.wait()
            self._wished.clear()
            try:
                newest = self._store.by_uid(self.record.uid) or self.record
                self.record = await write_status(self._client, self._store, newest, dict(self._wish)) or self.record
                failures = 0
            except ApiError as error:
                failures += 1
                _log.info("status of %s: %s", self.record.name, error)
                await asyncio.sleep(pause_after(failures))
                self._wished.set()

    async def close(self) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
