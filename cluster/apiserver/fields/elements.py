"""Path elements: how a map's fields and a list's items are named in a field set, by the schema."""

from collections.abc import Sequence
from typing import Any

import orjson

from cluster.apiserver.schema.node import ANYTHING, Node
from cluster.apiserver.types import Json


class MissingKey(Exception):
    """An item of a map list without one of its keys."""


def field(name: str) -> str:
    return "f:" + name


def child_of(node: Node, name: str) -> Node:
    found = node.properties.get(name)
    return found if found is not None else node.additional or ANYTHING


def granular_map(node: Node) -> bool:
    """Are the fields of this map owned one by one?"""
    return not node.map_atomic


def granular_list(node: Node) -> bool:
    return node.list_type != "atomic" and node.items is not None


def item_element(item: Any, node: Node) -> str:
    """The name of a list item: its value in a set, its keys in a map list. Raises MissingKey."""
    if node.list_type == "map" and isinstance(item, dict):
        keys = {name: _key_value(item, name, node) for name in node.list_keys}
        return "k:" + orjson.dumps(keys, option=orjson.OPT_SORT_KEYS).decode()
    return "v:" + orjson.dumps(item, option=orjson.OPT_SORT_KEYS).decode()


def _key_value(item: Json, name: str, node: Node) -> Any:
    if name in item:
        return item[name]
    if node.items is not None:
        for defaulted, make in node.items.defaults:
            if defaulted == name:
                return make()
    raise MissingKey(name)


def elements(items: Sequence[Any], node: Node) -> list[str]:
    """The names of all items; one without its key is named by its whole value."""
    found: list[str] = []
    for item in items:
        try:
            found.append(item_element(item, node))
        except MissingKey:
            found.append("v:" + orjson.dumps(item, option=orjson.OPT_SORT_KEYS).decode())
    return found


def shown_path(elements_of_path: Sequence[str]) -> str:
    """A path as conflicts tell it: .spec.ports[port=1,protocol="TCP"].label"""
    out = ""
    for element in elements_of_path:
        kind, _, rest = element.partition(":")
        if kind == "f":
            out += "." + rest
        elif kind == "k":
            keys = orjson.loads(rest)
            out += "[" + ",".join(f"{name}={orjson.dumps(value).decode()}" for name, value in keys.items()) + "]"
        else:
            out += f"[={rest}]"
    return out
