"""List, then watch on from there, for ever: keeps a Store equal to what the API server has."""

import asyncio
import logging
from typing import Any, Generic, TypeVar

from crds.client.backoff import pause_after
from crds.client.client import Client, parse_or_skip
from crds.client.errors import ApiError, Gone, error_for
from crds.client.store import Store
from crds.models.record import Record

R = TypeVar("R", bound=Record)
_log = logging.getLogger(__name__)
_WATCH_SECONDS = 300


class Reflector(Generic[R]):
    """`run` never returns; `synced` is set once the first list is in the store.

    A broken watch resumes from the last version seen; 410 Gone lists anew, which also finds what vanished."""

    def __init__(self, client: Client, store: Store[R], *, namespace: str | None = None, labels: str | None = None):
        self._client = client
        self._store = store
        self._namespace = namespace
        self._labels = labels
        self._version = ""
        self.synced = asyncio.Event()

    async def run(self) -> None:
        failures = 0
        while True:
            try:
                if not self._version:
                    await self._list()
                await self._watch()
                failures = 0
            except Gone:
                self._version = ""
            except ApiError as error:
                failures += 1
                _log.info("watch of %s: %s", self._store.model.resource.plural, error)
                await asyncio.sleep(pause_after(failures))

    async def _list(self) -> None:
        records, version = await self._client.list(self._store.model, self._namespace, self._labels)
        self._store.replace_all(records)
        self._version = version
        self.synced.set()

    async def _watch(self) -> None:
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": self._version,
            "timeoutSeconds": _WATCH_SECONDS,
        }
        if self._labels:
            query["labelSelector"] = self._labels
        path = self._store.model.resource.path(self._namespace)
        async for event in self._client.transport.lines(path, query):
            self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        if event["type"] == "ERROR":
            raise error_for(int(event["object"].get("code") or 500), event["object"])
        # A bookmark carries a version and nothing else.
        if event["type"] != "BOOKMARK":
            take_event(self._store, event["type"], event["object"])
        self._version = event["object"]["metadata"].get("resourceVersion") or self._version


def take_event(store: Store[R], type_: str | None, body: dict[str, Any]) -> None:
    """One event of a watch into the store: DELETED, or anything else with the object as it is now."""
    if type_ != "DELETED" and store.knows(body["metadata"]):
        return
    record = parse_or_skip(store.model, body)
    if record is not None and type_ == "DELETED":
        store.remove(record)
    elif record is not None:
        store.upsert(record)
