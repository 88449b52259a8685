"""Who owns which field, read from `metadata.managedFields`; pure.

A path is a tuple of keys, such as ("spec", "source", "branch")."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

Path = tuple[str, ...]
Json = dict[str, Any]

API = "setpoint-api"
GIT = "setpoint-git"
# What scales by itself; a person's `kubectl scale` is not one of these.
AUTOSCALERS = frozenset({"kube-controller-manager", "horizontal-pod-autoscaler"})


def leaves(edit: Json, above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Each value of a nested edit with its path; lists count as values."""
    for key, value in edit.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value


def value_at(record: Json, path: Path) -> Any:
    found: Any = record
    for key in path:
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    return found


def managers_of(entries: list[Json] | None, path: Path) -> set[str]:
    """The managers that own this field (or the whole it is a part of)."""
    return {str(entry.get("manager")) for entry in entries or [] if _covers(entry.get("fieldsV1"), path)}


def _covers(fields: Any, path: Path) -> bool:
    for key in path:
        if not isinstance(fields, dict) or f"f:{key}" not in fields:
            return False
        fields = fields[f"f:{key}"]
        if not fields:
            return True  # an atomic whole: what is below belongs to the same owner
    return True


def owned_by(record: Json, manager: str) -> Json:
    """What this manager owns of the record's body, with the values that it has now.

    `record` is the whole object with its managedFields. Identity (name, namespace) is never owned."""
    owned: Json = {}
    for entry in value_at(record, ("metadata", "managedFields")) or []:
        if entry.get("manager") == manager and not entry.get("subresource"):
            picked = _pick(record, entry.get("fieldsV1") or {})
            if isinstance(picked, dict):
                owned = merged(owned, picked)
    owned.pop("status", None)
    return owned


def merged(base: Json, change: Mapping[str, Any]) -> Json:
    """`change` laid over `base`: maps are joined, all else is replaced. Neither argument is touched."""
    result = dict(base)
    for key, value in change.items():
        below = result.get(key)
        result[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result


def _pick(value: Any, fields: Json) -> Any:
    """The parts of `value` that a fieldsV1 tree names; a tree without sub-fields names the whole."""
    if not any(key != "." for key in fields):
        return value
    if isinstance(value, dict):
        named = [(key[2:], below) for key, below in fields.items() if key.startswith("f:")]
        return {name: _pick(value[name], below) for name, below in named if name in value}
    if isinstance(value, list):
        return [item for found in _items(value, fields) for item in found]
    return value


def _items(values: list[Any], fields: Json) -> Iterator[list[Any]]:
    for key, below in fields.items():
        kind, _, rest = key.partition(":")
        if kind == "v":
            yield [value for value in values if value == json.loads(rest)]
        elif kind == "k":
            keys: Json = json.loads(rest)
            found = [v for v in values if isinstance(v, dict) and all(v.get(k) == w for k, w in keys.items())]
            yield [{**_pick(value, below), **keys} for value in found]
