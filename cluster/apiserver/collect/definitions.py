"""CRDs: served as soon as they are committed, judged and noted in their status, cleaned up when deleted."""

from collections.abc import Iterable

from cluster.apiserver.collect.edit import delete_now, edit, without_finalizer
from cluster.apiserver.kinds.builtin.definitions import CLEANUP, accepted, refused, set_condition
from cluster.apiserver.kinds.builtin.table import DEFINITIONS
from cluster.apiserver.kinds.model import Resource
from cluster.apiserver.schema.normalize import normalize
from cluster.apiserver.storage.records import Change, Record, encode
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.context import Context


def serve_committed(context: Context, changes: Iterable[Change]) -> None:
    """Bring the registry up to date. Runs before watchers hear of the change: discovery must know it by then."""
    for change in changes:
        if change.resource != DEFINITIONS:
            continue
        definition = change.record.decode()
        spec = definition["spec"]
        if change.type == "DELETED":
            context.registry.withdraw(spec["group"], spec["names"]["plural"])
            context.hub.disconnect(change.record.name)
            _serve_waiting(context)
        elif context.registry.name_conflict(definition) is None:
            before = change.previous.decode()["spec"] if change.previous is not None else None
            resource = context.registry.serve(definition)
            if before is not None and before != spec:
                show_defaults(context, resource)
                context.hub.disconnect(resource.id)


def serve_stored(context: Context) -> None:
    """At the start: the oldest CRD wins a name."""
    for record in sorted(context.store.table(DEFINITIONS).scan(), key=_established_first):
        definition = record.decode()
        if context.registry.name_conflict(definition) is None:
            show_defaults(context, context.registry.serve(definition))


def show_defaults(context: Context, resource: Resource) -> None:
    """Let stored objects show defaults (and the storage version) that came after they were written."""
    schema = resource.versions[resource.storage_version].schema
    api_version = resource.api_version(resource.storage_version)
    for record in list(context.store.table(resource.id).scan()):
        obj = record.decode()
        obj["apiVersion"] = api_version
        normalize(obj, schema)
        body = encode(obj)
        if body != record.body:
            context.store.replace_quietly(resource.id, Record(body, record.rv, obj["metadata"]))


async def settle_definition(context: Context, name: str) -> None:
    """Write what there is to say in the status, or go on with the deletion."""
    record = context.store.latest(DEFINITIONS, ("", name))
    if record is None:
        return
    definition = record.decode()
    if record.deleting:
        await _clean_up(context, definition)
        return
    conflict = context.registry.name_conflict(definition)

    def judge(obj: Json) -> None:
        status = obj.setdefault("status", {})
        for wanted in refused(conflict[1], conflict[0]) if conflict else accepted():
            set_condition(status, wanted)
        status["acceptedNames"] = {"plural": "", "kind": ""} if conflict else dict(obj["spec"]["names"])
        stored = status.setdefault("storedVersions", [])
        storage = next(v["name"] for v in obj["spec"]["versions"] if v.get("storage"))
        if storage not in stored:
            stored.append(storage)

    await edit(context, DEFINITIONS, ("", name), judge)


async def _clean_up(context: Context, definition: Json) -> None:
    name = definition["metadata"]["name"]
    if context.registry.by_id(name) is not None:
        for record in list(context.store.table(name).scan()):
            await delete_now(context, name, record)
    if not context.store.table(name).records:
        await edit(context, DEFINITIONS, ("", name), without_finalizer(CLEANUP))


def _serve_waiting(context: Context) -> None:
    """A name has become free: the CRDs that were refused may have it."""
    for record in context.store.table(DEFINITIONS).scan():
        definition = record.decode()
        if context.registry.by_id(record.name) is None and context.registry.name_conflict(definition) is None:
            context.registry.serve(definition)


def _established_first(record: Record) -> tuple[bool, str]:
    definition = record.decode()
    conditions = (definition.get("status") or {}).get("conditions") or []
    established = any(c["type"] == "Established" and c["status"] == "True" for c in conditions)
    return (not established, definition["metadata"]["creationTimestamp"])
