"""The one task that does the server's own work, one key at a time, until nothing is left to do."""

import asyncio
import logging
from collections.abc import Sequence

from cluster.apiserver.collect.definitions import frees_names, serve_stored, settle_definition
from cluster.apiserver.collect.namespaces import ALWAYS, settle_namespace
from cluster.apiserver.collect.owners import Dependents, owner_place, settle_dependent, settle_owner
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.builtin.namespaces import FINALIZER, NAME_LABEL
from cluster.apiserver.kinds.builtin.table import DEFINITIONS, NAMESPACES
from cluster.apiserver.kinds.identifiers import new_uid
from cluster.apiserver.storage.records import Change, Record
from cluster.apiserver.types import Key
from cluster.apiserver.verbs.context import Context

Job = tuple[str, str, Key]
DEFINITION, NAMESPACE, DEPENDENT, OWNER = "definition", "namespace", "dependent", "owner"
RETRY_SECONDS = 1.0

log = logging.getLogger(__name__)


class Collector:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._dependents = Dependents()
        self._jobs: dict[Job, None] = {}
        self._wake = asyncio.Event()

    async def start(self) -> None:
        """Serve what is stored, make sure of the namespaces that are always there, look at everything once."""
        store = self._context.store
        serve_stored(self._context)
        for name in ALWAYS:
            if store.latest(NAMESPACES, ("", name)) is None:
                await store.put(NAMESPACES, _namespace(name), None)
        for resource, table in store.tables():
            for record in table.scan():
                self._dependents.add(resource, record)
                self._look_at(resource, record)

    def notice(self, changes: Sequence[Change]) -> None:
        """Called after each commit; only notes what is to be done."""
        for change in changes:
            record = change.record
            if record.owners or (change.previous is not None and change.previous.owners):
                self._dependents.notice(change)
            if change.type == "DELETED":
                self._look_around(change)
            elif change.resource == DEFINITIONS or record.owners or record.deleting:
                self._look_at(change.resource, record)
            if change.resource == DEFINITIONS and frees_names(change):
                for other in self._context.store.table(DEFINITIONS).scan():
                    self._add(DEFINITION, DEFINITIONS, other.key)

    async def run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._jobs:
                job = next(iter(self._jobs))
                del self._jobs[job]
                await self._do(job)

    async def _do(self, job: Job) -> None:
        kind, resource, key = job
        try:
            if kind == DEFINITION:
                await settle_definition(self._context, key[1])
            elif kind == NAMESPACE:
                await settle_namespace(self._context, key[1])
            elif kind == DEPENDENT:
                await settle_dependent(self._context, resource, key)
            else:
                await settle_owner(self._context, self._dependents, resource, key)
        except Exception:
            log.exception("%s of %s %s will be tried again", kind, resource, key)
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._add, *job)

    def _look_at(self, resource: str, record: Record) -> None:
        if resource == DEFINITIONS:
            self._add(DEFINITION, resource, record.key)
        if record.owners and not record.deleting:
            self._add(DEPENDENT, resource, record.key)
        if record.deleting:
            self._add(OWNER, resource, record.key)
            if resource == NAMESPACES:
                self._add(NAMESPACE, resource, record.key)

    def _look_around(self, change: Change) -> None:
        """Something is gone: who depended on it, who waited for it to go?"""
        record, store = change.record, self._context.store
        for place in self._dependents.of(record.uid):
            self._add(DEPENDENT, *place)
        self._dependents.forget(record.uid)
        namespace = store.get(NAMESPACES, ("", record.namespace)) if record.namespace else None
        if namespace is not None and namespace.deleting:
            self._add(NAMESPACE, NAMESPACES, namespace.key)
        definition = store.get(DEFINITIONS, ("", change.resource))
        if definition is not None and definition.deleting:
            self._add(DEFINITION, DEFINITIONS, definition.key)
        if record.owners:
            self._wake_owners(record)

    def _wake_owners(self, record: Record) -> None:
        for reference in record.decode()["metadata"]["ownerReferences"]:
            place = owner_place(self._context, reference, record.namespace)
            owner = self._context.store.get(*place) if place is not None else None
            if place is not None and owner is not None and owner.deleting:
                self._add(OWNER, *place)

    def _add(self, kind: str, resource: str, key: Key) -> None:
        self._jobs[(kind, resource, key)] = None
        self._wake.set()


def _namespace(name: str) -> dict[str, object]:
    metadata = {
        "name": name,
        "uid": new_uid(),
        "creationTimestamp": times.now(),
        "labels": {NAME_LABEL: name},
    }
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": metadata,
        "spec": {"finalizers": [FINALIZER]},
        "status": {"phase": "Active"},
    }
