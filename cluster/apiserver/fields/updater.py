"""The two ways in which a write changes who owns what: Update (POST, PUT, patches) and Apply."""

from dataclasses import replace

from cluster.apiserver.fields.elements import shown_path
from cluster.apiserver.fields.last_applied import MANAGER, allowed_conflicts
from cluster.apiserver.fields.managed import (
    APPLY,
    UPDATE,
    Entry,
    capped,
    conflict_error,
    read_entries,
    stored_entries,
    write_entries,
)
from cluster.apiserver.fields.merge import merge
from cluster.apiserver.fields.remove import remove_items, with_parents
from cluster.apiserver.fields.sets import (
    EMPTY,
    LEAF,
    FieldSet,
    difference,
    intersection,
    paths,
    union,
    without_trees,
)
from cluster.apiserver.fields.walk import compare, everything_in, same, to_set
from cluster.apiserver.schema.node import Node
from cluster.apiserver.types import Json

UNOWNED = (
    "name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields",
    "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
)  # fmt: skip
UNOWNED_SET: FieldSet = {"f:apiVersion": LEAF, "f:kind": LEAF, "f:metadata": {"f:" + name: LEAF for name in UNOWNED}}
BEFORE_FIRST_APPLY = "before-first-apply"


def visible(obj: Json) -> Json:
    """An object as field managers see it: what nobody can own is left out."""
    out = {name: value for name, value in obj.items() if name not in ("apiVersion", "kind", "metadata")}
    metadata = {name: value for name, value in obj["metadata"].items() if name not in UNOWNED}
    return {"metadata": metadata, **out} if metadata else out


def track_create(new: Json, node: Node, who: Entry, ignored: FieldSet = EMPTY, blank: Json | None = None) -> None:
    """Set `new`'s managedFields: all that is in it is of `who`, but what it has as `blank` has it."""
    metadata = new["metadata"]
    if metadata.get("managedFields") is not None:
        track_update(None, new, node, who, ignored)
    elif blank:
        added, modified, _ = compare(blank, visible(new), node)
        _store(metadata, [replace(who, fields=_ownable(without_trees(union(modified, added), ignored)))])
    else:
        mine = without_trees(everything_in(visible(new), node), ignored)
        _store(metadata, [replace(who, fields=_ownable(mine))])


def track_update(old: Json | None, new: Json, node: Node, who: Entry, ignored: FieldSet = EMPTY) -> None:
    """Set `new`'s managedFields after an update by `who` (whose own fields are not looked at).

    managedFields that the client sent count, so that it may edit or reset them; none sent means those of `old`.
    """
    metadata = new["metadata"]
    sent = metadata.pop("managedFields", None)
    before = (old or {}).get("metadata", {}).get("managedFields") or []
    if sent is not None and any(entry == {} for entry in sent):
        return
    if old is not None and not sent and not before:
        # Of an object that nobody owned a part of, nobody does until it is applied.
        return
    entries = read_entries(sent) if sent and sent is not before else stored_entries(before)
    entries = _after_update(visible(old) if old else {}, visible(new), node, entries, who, ignored)
    _store(metadata, capped(entries))


def track_loss(old: Json, new: Json, node: Node) -> None:
    """Set `new`'s managedFields after a change of the server's own: nobody owns what it changed or took away."""
    added, modified, removed = compare(visible(old), visible(new), node)
    gone = union(union(modified, added), removed)
    entries = stored_entries(old["metadata"].get("managedFields") or [])
    _store(new["metadata"], [replace(e, fields=difference(e.fields, gone)) for e in entries])


def _after_update(old: Json, new: Json, node: Node, entries: list[Entry], who: Entry, ignored: FieldSet) -> list[Entry]:
    added, modified, removed = compare(old, new, node)
    touched = union(modified, added)
    gone = union(touched, removed)
    kept = [replace(e, fields=difference(e.fields, gone)) if gone else e for e in entries]
    mine = _ownable(without_trees(touched, ignored))
    if not mine:
        return kept
    return _joined(kept, replace(who, fields=mine))


def _joined(entries: list[Entry], new: Entry) -> list[Entry]:
    for index, entry in enumerate(entries):
        if entry.identity == new.identity:
            entries[index] = replace(new, fields=union(entry.fields, new.fields))
            return entries
    return [*entries, new]


def _ownable(fields: FieldSet) -> FieldSet:
    """metadata itself is nobody's."""
    metadata = fields.get("f:metadata")
    if metadata is None or "." not in metadata:
        return fields
    return {**fields, "f:metadata": {key: below for key, below in metadata.items() if key != "."}}


def _store(metadata: Json, entries: list[Entry]) -> None:
    written = write_entries(entries)
    if written:
        metadata["managedFields"] = written
    else:
        metadata.pop("managedFields", None)


class Applied:
    """The outcome of an apply: the merged object, without defaults, and the entries that own it."""

    def __init__(self, merged: Json, entries: list[Entry]) -> None:
        self.merged = merged
        self.entries = entries

    def store(self, obj: Json) -> None:
        _store(obj["metadata"], capped(self.entries))

    def store_over(self, obj: Json, old: Json) -> None:
        """The same of a change: one that comes to nothing once it was completed has no time of its own either."""
        self.store(obj)
        before = old["metadata"].get("managedFields")
        if before and same(_untimed(obj), _untimed(old)):
            obj["metadata"]["managedFields"] = before


def apply(
    live: Json | None, config: Json, node: Node, who: Entry, ignored: FieldSet = EMPTY, force: bool = False
) -> Applied:
    """Lay `config` over `live` for the applier `who`. Raises the 409 of `conflict_error` unless forced."""
    old = _trimmed(live) if live else {}
    entries = stored_entries(live["metadata"].get("managedFields") or []) if live else []
    if live and not entries:
        first = Entry(BEFORE_FIRST_APPLY, UPDATE, who.api_version, "", EMPTY, who.time)
        # What others own before anybody applied counts as one updater's.
        entries = _after_update({}, visible(live), node, [], first, ignored={"f:status": LEAF})
    wanted = _trimmed(config)
    merged = merge(old, wanted, node)
    mine = without_trees(without_trees(to_set(wanted, node), UNOWNED_SET), ignored)
    last = next((e.fields for e in entries if e.identity == who.identity), EMPTY)
    others = [e for e in entries if e.identity != who.identity]
    if difference(last, mine):
        merged = _prune(merged, node, last, mine, others)
    allowed = allowed_conflicts(live, old, node) if live and who.manager == MANAGER else EMPTY
    others = _settle(old, merged, node, others, force, allowed)
    time = who.time
    if merged == old:
        # Nothing was written: whoever shares what is there already has no time of it.
        time = next((e.time for e in entries if e.identity == who.identity), "")
    return Applied(merged, [*others, replace(who, fields=mine, time=time)])


def _trimmed(obj: Json) -> Json:
    """Identity and bookkeeping are neither merged nor owned."""
    metadata = {name: value for name, value in obj["metadata"].items() if name not in UNOWNED}
    rest = {name: value for name, value in obj.items() if name not in ("apiVersion", "kind", "metadata")}
    return {"metadata": metadata, **rest} if metadata else rest


def _untimed(obj: Json) -> Json:
    entries = [{**entry, "time": ""} for entry in obj["metadata"].get("managedFields") or []]
    return {**obj, "metadata": {**obj["metadata"], "managedFields": entries}}


def _settle(old: Json, new: Json, node: Node, others: list[Entry], force: bool, allowed: FieldSet) -> list[Entry]:
    added, modified, removed = compare(old, new, node)
    touched = union(modified, added)
    lost = [(entry, intersection(entry.fields, touched)) for entry in others]
    causes = [(entry, shown_path(path)) for entry, fields in lost for path in paths(difference(fields, allowed))]
    if causes and not force:
        raise conflict_error(causes)
    gone = union(touched, removed)
    return [replace(entry, fields=difference(entry.fields, gone)) for entry in others]


def _prune(merged: Json, node: Node, last: FieldSet, mine: FieldSet, others: list[Entry]) -> Json:
    """Remove what this applier had before, does not name now, and nobody else owns."""
    last_all = with_parents(last, node)
    pruned = remove_items(merged, last_all, node) or {}
    owned = mine
    for entry in others:
        owned = union(owned, entry.fields)
    everything = with_parents(to_set(merged, node), node)
    kept = union(with_parents(to_set(pruned, node), node), with_parents(owned, node))
    pruned = remove_items(merged, difference(everything, kept), node) or {}
    left = with_parents(to_set(pruned, node), node)
    result: Json = remove_items(merged, intersection(difference(everything, left), last_all), node) or {}
    return result


__all__ = ["APPLY", "UPDATE", "Applied", "Entry", "apply", "track_create", "track_loss", "track_update", "visible"]
