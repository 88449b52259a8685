"""metadata.managedFields as entries that can be reckoned with."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import orjson

from cluster.apiserver.errors import ApiError, bad_request
from cluster.apiserver.fields.sets import FieldSet, union
from cluster.apiserver.types import Json

MAX_UPDATERS = 10
ANCIENT = "ancient-changes"
APPLY, UPDATE = "Apply", "Update"


@dataclass(frozen=True, slots=True)
class Entry:
    """One manager's fields. Two entries of equal `identity` are one."""

    manager: str
    operation: str
    api_version: str
    subresource: str
    fields: FieldSet
    time: str = ""

    @property
    def identity(self) -> tuple[str, str, str, str]:
        # An applier is the same one in whatever version it applies.
        version = "" if self.operation == APPLY else self.api_version
        return (self.manager, self.operation, version, self.subresource)


def stored_entries(raw: Iterable[Json]) -> list[Entry]:
    """Entries as `write_entries` made them."""
    return [_entry(item, item.get("fieldsV1") or {}) for item in raw]


def read_entries(raw: Iterable[Json]) -> list[Entry]:
    """Entries as clients send them. Raises a 400 for those that are no field sets."""
    found: list[Entry] = []
    for item in raw:
        if item.get("operation") not in (APPLY, UPDATE):
            raise bad_request(f"metadata.managedFields: Invalid operation: {item.get('operation', '')!r}")
        fields = item.get("fieldsV1") or {}
        if item.get("fieldsType", "FieldsV1") != "FieldsV1" or not isinstance(fields, dict):
            raise bad_request("metadata.managedFields: only FieldsV1 is known")
        found.append(_entry(item, canonical(fields)))
    return found


def _entry(item: Json, fields: FieldSet) -> Entry:
    return Entry(
        manager=item.get("manager", ""),
        operation=item["operation"],
        api_version=item.get("apiVersion", ""),
        subresource=item.get("subresource", ""),
        fields=fields,
        time=item.get("time") or "",
    )


def canonical(raw: Any) -> FieldSet:
    """Field sets as clients send them, keys in the one form that can be compared."""
    if not isinstance(raw, dict):
        raise bad_request("metadata.managedFields: a field set must be made of maps")
    out: dict[str, FieldSet] = {}
    for key, below in raw.items():
        kind, colon, rest = key.partition(":")
        if key != "." and (not colon or kind not in ("f", "k", "v", "i")):
            raise bad_request(f"metadata.managedFields: unknown path element {key!r}")
        if kind in ("k", "v"):
            try:
                rest = orjson.dumps(orjson.loads(rest), option=orjson.OPT_SORT_KEYS).decode()
            except orjson.JSONDecodeError as error:
                raise bad_request(f"metadata.managedFields: bad path element {key!r}") from error
        out["." if key == "." else f"{kind}:{rest}"] = canonical(below)
    return out


def write_entries(entries: Iterable[Entry]) -> list[Json]:
    ordered = sorted((e for e in entries if e.fields), key=lambda e: (e.operation, e.time, e.manager, e.subresource))
    return [_written(entry) for entry in ordered]


def _written(entry: Entry) -> Json:
    raw: Json = {"manager": entry.manager, "operation": entry.operation, "apiVersion": entry.api_version}
    if entry.time:
        raw["time"] = entry.time
    raw["fieldsType"] = "FieldsV1"
    raw["fieldsV1"] = entry.fields
    if entry.subresource:
        raw["subresource"] = entry.subresource
    return raw


def capped(entries: list[Entry]) -> list[Entry]:
    """At most ten updaters: the oldest are summed up as one."""
    updaters = sorted((e for e in entries if e.operation == UPDATE and e.fields), key=lambda e: e.time)
    surplus = updaters[: max(len(updaters) - MAX_UPDATERS, 0)]
    if not surplus:
        return entries
    buckets: dict[str, Entry] = {}
    for entry in [*(e for e in updaters if e.manager == ANCIENT), *surplus, *updaters[len(surplus) : len(surplus) + 1]]:
        bucket = buckets.get(entry.api_version)
        merged = replace(entry, manager=ANCIENT, subresource="")
        buckets[entry.api_version] = (
            merged if bucket is None else replace(merged, fields=union(bucket.fields, entry.fields))
        )
    gone = {e.identity for e in [*surplus, updaters[len(surplus)]]} | {
        e.identity for e in updaters if e.manager == ANCIENT
    }
    return [e for e in entries if e.identity not in gone] + list(buckets.values())


def conflict_error(causes: list[tuple[Entry, str]]) -> ApiError:
    """The 409 of an apply: `causes` are whose field it is and the path as it is shown."""
    told = [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {_who(entry)}",
            "field": path,
        }
        for entry, path in causes
    ]
    count = len(told)
    by_owner: dict[str, list[str]] = {}
    for entry, path in causes:
        by_owner.setdefault(_who(entry), []).append(path)
    if count == 1:
        text = f"conflict with {_who(causes[0][0])}: {causes[0][1]}"
    else:
        text = "conflicts with " + "\n".join(
            f"{who}:\n" + "\n".join(f"- {path}" for path in owned) for who, owned in by_owner.items()
        )
    plural = "conflict" if count == 1 else "conflicts"
    return ApiError(409, "Conflict", f"Apply failed with {count} {plural}: {text}", {"causes": told})


def _who(entry: Entry) -> str:
    if entry.operation == APPLY:
        return f'"{entry.manager}"' + (f' with subresource "{entry.subresource}"' if entry.subresource else "")
    told = f'"{entry.manager}"'
    if entry.subresource:
        told += f' with subresource "{entry.subresource}"'
    told += f" using {entry.api_version}"
    return told + (f" at {entry.time}" if entry.time else "")
