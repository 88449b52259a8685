"""Taking fields out of an object by a field set."""

from typing import Any

from cluster.apiserver.fields.elements import child_of, elements, granular_list, granular_map
from cluster.apiserver.fields.sets import SELF, FieldSet, below, build, is_member
from cluster.apiserver.schema.node import ANYTHING, Node
from cluster.apiserver.types import Json


def remove_items(value: Any, gone: FieldSet, node: Node) -> Any:
    """`value` without the members of `gone`; a map or list that is left empty becomes None."""
    if type(value) is dict:
        return _map(value, gone, node) if granular_map(node) else None
    if type(value) is list:
        return _list(value, gone, node) if granular_list(node) else None
    return value


def _map(value: Json, gone: FieldSet, node: Node) -> Json | None:
    out: Json = {}
    for name, item in value.items():
        mark = gone.get("f:" + name)
        if mark is None:
            out[name] = item
        elif not is_member(mark):
            out[name] = remove_items(item, below(mark), child_of(node, name))
    return out or None


def _list(value: list[Any], gone: FieldSet, node: Node) -> list[Any] | None:
    out: list[Any] = []
    for element, item in zip(elements(value, node), value, strict=True):
        mark = gone.get(element)
        if mark is None:
            out.append(item)
        elif not is_member(mark):
            out.append(remove_items(item, below(mark), node.items or ANYTHING))
    return out or None


def with_parents(found: FieldSet, node: Node) -> FieldSet:
    """`found` and the declared fields on the way to its members: spec for spec.note, but not a key of a free map."""
    out: dict[str, FieldSet] = {}
    for key, mark in found.items():
        if key == SELF:
            continue
        kind, _, name = key.partition(":")
        named = kind == "f" and name in node.properties
        child = child_of(node, name) if kind == "f" else node.items or ANYTHING
        children = below(mark)
        made = build(is_member(mark) or (named and bool(children)), with_parents(children, child))
        if made is not None:
            out[key] = made
    return out
