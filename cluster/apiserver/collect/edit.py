"""Writes of the server's own: no client, no options, no field manager."""

from collections.abc import Callable

from cluster.apiserver.fields.managed import UPDATE, Entry
from cluster.apiserver.fields.sets import EMPTY
from cluster.apiserver.fields.updater import track_loss, track_update
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.model import Resource, Target
from cluster.apiserver.storage.records import Record
from cluster.apiserver.types import Json, Key
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.delete import DeleteOptions, delete_record
from cluster.apiserver.verbs.update import deletable

MANAGER = "kube-apiserver"
Track = Callable[[Json, Json, Resource], None]


async def edit(context: Context, resource: str, key: Key, change: Callable[[Json], None]) -> None:
    """Change an object if it is there; it is removed if that took away the last thing that held it. Nobody owns what is
    changed."""
    await _write(context, resource, key, change, _nobodys)


async def edit_status(context: Context, resource: str, key: Key, change: Callable[[Json], None]) -> None:
    """The same of a status that this server keeps as one of its clients would: it owns what it sets there."""
    await _write(context, resource, key, change, _own)


def _nobodys(old: Json, new: Json, resource: Resource) -> None:
    track_loss(old, new, resource.versions[resource.storage_version].schema)


def _own(old: Json, new: Json, resource: Resource) -> None:
    api_version = resource.api_version(resource.storage_version)
    who = Entry(MANAGER, UPDATE, api_version, "status", EMPTY, times.now())
    track_update(old, new, resource.versions[resource.storage_version].schema, who)


async def _write(context: Context, resource: str, key: Key, change: Callable[[Json], None], track: Track) -> None:
    record = context.store.latest(resource, key)
    if record is None:
        return
    old, obj = record.decode(), record.decode()
    change(obj)
    if deletable(obj):
        await context.store.remove(resource, old, record)
    elif obj != old:
        found = context.registry.by_id(resource)
        if found is not None:
            track(old, obj, found)
        await context.store.put(resource, obj, record)


async def delete_now(context: Context, resource: str, record: Record, policy: str = "Background") -> None:
    """Ask for an object's deletion as a client would."""
    found = context.registry.by_id(resource)
    latest = context.store.latest(resource, record.key)
    if found is None or latest is None or latest.uid != record.uid or latest.deleting:
        return
    target = Target(found, found.versions[found.storage_version], record.namespace, record.name)
    await delete_record(context, target, latest, DeleteOptions.of(policy))


def without_finalizer(name: str) -> Callable[[Json], None]:
    def change(obj: Json) -> None:
        left = [held for held in obj["metadata"].get("finalizers") or [] if held != name]
        if left:
            obj["metadata"]["finalizers"] = left
        else:
            obj["metadata"].pop("finalizers", None)

    return change
