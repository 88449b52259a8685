"""Pruning and defaulting in one walk: unknown fields go, nulls that may not be go, defaults come."""

from typing import Any

from cluster.apiserver.schema.node import Node
from cluster.apiserver.types import Json


def normalize(obj: Json, node: Node) -> list[str]:
    """Prune and default `obj` in place; returns the paths of the unknown fields (`spec.l.inner[0].junk`)."""
    return _object(obj, node) or []


def _object(value: Json, node: Node) -> list[str] | None:
    unknown: list[str] | None = None
    properties = node.properties
    for name in list(value):
        below = value[name]
        child = properties.get(name) or node.additional
        if child is None:
            if not node.preserve:
                del value[name]
                unknown = unknown or []
                unknown.append(name)
            continue
        if below is None:
            if not child.nullable:
                del value[name]
            continue
        found = _below(value, name, below, child)
        if found:
            unknown = unknown or []
            unknown.extend(_joined(name, path) for path in found)
    if node.defaults:
        _default(value, node)
    return unknown


def _below(holder: Any, place: str | int, value: Any, node: Node) -> list[str] | None:
    if type(value) is dict:
        if node.type != "object" and not node.properties:
            return None
        return _object(value, node)
    if type(value) is list:
        return _list(value, node.items) if node.items is not None else None
    if type(value) is float and node.type == "integer" and value.is_integer():
        holder[place] = int(value)
    return None


def _list(items: list[Any], node: Node) -> list[str] | None:
    unknown: list[str] | None = None
    for index, item in enumerate(items):
        found = _below(items, index, item, node)
        if found:
            unknown = unknown or []
            unknown.extend(_joined(f"[{index}]", path) for path in found)
    return unknown


def _default(value: Json, node: Node) -> None:
    for name, make in node.defaults:
        if name not in value:
            value[name] = make()
            child = node.properties[name]
            if type(value[name]) is dict:
                _object(value[name], child)


def _joined(first: str, rest: str) -> str:
    return first + rest if rest.startswith("[") else f"{first}.{rest}"
