"""Owner references: what lost its owners goes, what is orphaned stays."""

from collections.abc import Callable
from typing import Literal

from cluster.apiserver.collect.edit import delete_now, edit, without_finalizer
from cluster.apiserver.storage.records import Change, Record
from cluster.apiserver.types import Json, Key
from cluster.apiserver.verbs.context import Context

Place = tuple[str, Key]
Standing = Literal["solid", "gone", "going"]
FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"


class Dependents:
    """Who names whom as an owner, by the owner's uid."""

    def __init__(self) -> None:
        self._by_owner: dict[str, set[Place]] = {}

    def notice(self, change: Change) -> None:
        place = (change.resource, change.record.key)
        if change.previous is not None:
            for uid in change.previous.owners:
                self._by_owner.get(uid, set()).discard(place)
        if change.type != "DELETED":
            self.add(change.resource, change.record)

    def add(self, resource: str, record: Record) -> None:
        for uid in record.owners:
            self._by_owner.setdefault(uid, set()).add((resource, record.key))

    def of(self, uid: str) -> list[Place]:
        return sorted(self._by_owner.get(uid, ()))

    def forget(self, uid: str) -> None:
        if not self._by_owner.get(uid):
            self._by_owner.pop(uid, None)


def owner_place(context: Context, reference: Json, namespace: str) -> Place | None:
    """Where an owner is to be found; None if its kind is not served here."""
    resource = context.registry.by_kind(reference["apiVersion"], reference["kind"])
    if resource is None or (resource.namespaced and not namespace):
        return None
    return resource.id, (namespace if resource.namespaced else "", reference["name"])


async def settle_dependent(context: Context, resource: str, key: Key) -> None:
    """Delete an object none of whose owners is left; drop references to owners that are gone."""
    record = context.store.latest(resource, key)
    if record is None or record.deleting or not record.owners:
        return
    references = record.decode()["metadata"]["ownerReferences"]
    standing = {ref["uid"]: _standing(context, ref, record.namespace) for ref in references}
    if "solid" not in standing.values():
        policy = FOREGROUND_POLICY if "going" in standing.values() else "Background"
        await delete_now(context, resource, record, policy)
    elif "gone" in standing.values():
        await edit(context, resource, key, _without_owners({uid for uid, s in standing.items() if s == "gone"}))


FOREGROUND_POLICY = "Foreground"


def _standing(context: Context, reference: Json, namespace: str) -> Standing:
    place = owner_place(context, reference, namespace)
    if place is None:
        return "solid"
    owner = context.store.latest(*place)
    if owner is None or owner.uid != reference["uid"]:
        return "gone"
    if owner.deleting and FOREGROUND in owner.decode()["metadata"].get("finalizers", ()):
        return "going"
    return "solid"


async def settle_owner(context: Context, dependents: Dependents, resource: str, key: Key) -> None:
    """An owner that waits for its dependents: to be deleted before it, or to be let go of."""
    record = context.store.latest(resource, key)
    if record is None or not record.deleting:
        return
    finalizers = record.decode()["metadata"].get("finalizers") or []
    places = dependents.of(record.uid)
    if ORPHAN in finalizers:
        for place in places:
            await edit(context, *place, _without_owners({record.uid}))
        await edit(context, resource, key, without_finalizer(ORPHAN))
    elif FOREGROUND in finalizers:
        for place in places:
            await settle_dependent(context, *place)
        if not any(_blocks(context, place, record.uid) for place in dependents.of(record.uid)):
            await edit(context, resource, key, without_finalizer(FOREGROUND))


def _blocks(context: Context, place: Place, uid: str) -> bool:
    record = context.store.latest(*place)
    if record is None:
        return False
    references = record.decode()["metadata"].get("ownerReferences") or []
    return any(ref["uid"] == uid and ref.get("blockOwnerDeletion") for ref in references)


def _without_owners(uids: set[str]) -> Callable[[Json], None]:
    def change(obj: Json) -> None:
        left = [ref for ref in obj["metadata"].get("ownerReferences") or [] if ref["uid"] not in uids]
        if left:
            obj["metadata"]["ownerReferences"] = left
        else:
            obj["metadata"].pop("ownerReferences", None)

    return change
