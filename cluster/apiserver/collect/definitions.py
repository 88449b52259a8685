"""CRDs: served as soon as they are committed, judged and noted in their status, cleaned up when deleted."""

from collections.abc import Iterable

from cluster.apiserver.collect.edit import delete_now, edit_status, without_finalizer
from cluster.apiserver.kinds.accepted_names import Taken, Verdict, taken
from cluster.apiserver.kinds.builtin.conditions import (
    deletion_completed,
    deletion_in_progress,
    established,
    is_true,
    names_accepted,
    never_established,
    not_established,
    set_condition,
)
from cluster.apiserver.kinds.builtin.definitions import CLEANUP
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
        if change.type == "DELETED":
            context.registry.forget(change.record.name)
            context.hub.disconnect(change.record.name)
            continue
        definition = change.record.decode()
        before = change.previous.decode()["spec"] if change.previous is not None else None
        resource = _serve(context, definition)
        if resource is not None and before is not None and before != definition["spec"]:
            show_defaults(context, resource)
            context.hub.disconnect(resource.id)


def serve_stored(context: Context) -> None:
    """At the start: the oldest CRD wins a name."""
    for record in sorted(context.store.table(DEFINITIONS).scan(), key=_established_first):
        resource = _serve(context, record.decode())
        if resource is not None:
            show_defaults(context, resource)


def _serve(context: Context, definition: Json) -> Resource | None:
    """Not before all of its names are its own; once it was established it stays so, whatever names it wants then."""
    verdict, name = context.registry.judge(definition), definition["metadata"]["name"]
    context.registry.claim(definition, verdict.names)
    built_in = context.registry.by_id(name)
    if built_in is not None and not built_in.custom:
        return None
    if not verdict.reason or is_true(definition, "Established"):
        return context.registry.serve(definition, verdict.names)
    context.registry.withdraw(name)
    return None


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


def frees_names(change: Change) -> bool:
    """Of a definition: others may have waited for a name that it has no more."""
    if change.type == "DELETED":
        return True
    had, has = _accepted(change.previous), _accepted(change.record)
    return not (had.resources <= has.resources and had.kinds <= has.kinds)


async def settle_definition(context: Context, name: str) -> None:
    """Write what there is to say in the status, or go on with the deletion. In the steps of the real server: each of
    them finds out by itself whether it is still to be done."""
    record = context.store.latest(DEFINITIONS, ("", name))
    if record is None:
        return
    definition = record.decode()
    verdict = context.registry.judge(definition)
    await edit_status(context, DEFINITIONS, ("", name), lambda obj: _note_names(obj, verdict))
    if not verdict.reason:
        await edit_status(context, DEFINITIONS, ("", name), _establish)
    if record.deleting and CLEANUP in definition["metadata"].get("finalizers", ()):
        await _clean_up(context, name)


def _note_names(definition: Json, verdict: Verdict) -> None:
    status = definition["status"]
    status["acceptedNames"] = verdict.names
    set_condition(status, names_accepted(verdict))
    if not is_true(definition, "Established"):
        set_condition(status, not_established(verdict))


def _establish(definition: Json) -> None:
    set_condition(definition["status"], established())


async def _clean_up(context: Context, name: str) -> None:
    key = ("", name)
    await edit_status(context, DEFINITIONS, key, lambda obj: set_condition(obj["status"], deletion_in_progress()))
    resource, objects = context.registry.by_id(name), context.store.table(name)
    if resource is not None and resource.custom:
        for record in list(objects.scan()):
            await delete_now(context, name, record)
        if objects.records:
            return
    await edit_status(context, DEFINITIONS, key, _release)


def _release(definition: Json) -> None:
    completed = deletion_completed() if is_true(definition, "Established") else never_established()
    set_condition(definition["status"], completed)
    without_finalizer(CLEANUP)(definition)


def _accepted(record: Record | None) -> Taken:
    status = record.decode().get("status") if record is not None else None
    return taken([(status or {}).get("acceptedNames") or {}])


def _established_first(record: Record) -> tuple[bool, str]:
    definition = record.decode()
    return (not is_true(definition, "Established"), definition["metadata"]["creationTimestamp"])
