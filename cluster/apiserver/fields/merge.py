"""An applied configuration laid over the live object."""

from collections import deque
from typing import Any

from cluster.apiserver.errors import ApiError
from cluster.apiserver.fields.elements import MissingKey, child_of, elements, granular_list, granular_map, item_element
from cluster.apiserver.schema.node import ANYTHING, Node
from cluster.apiserver.types import Json

ABSENT: Any = object()


def merge(live: Any, config: Any, node: Node) -> Any:
    """`config` wins at the leaves; maps and keyed lists are merged. Raises a 400 for a list item named twice."""
    if live is ABSENT:
        return _checked(config, node)
    if config is ABSENT:
        return live
    if type(live) is dict and type(config) is dict and granular_map(node) and (live or config):
        return _merge_maps(live, config, node)
    if type(live) is list and type(config) is list and granular_list(node) and (live or config):
        return _merge_lists(live, config, node)
    if config is None and type(live) in (dict, list) and live:
        return live
    return _checked(config, node)


def _merge_maps(live: Json, config: Json, node: Node) -> Json:
    out: Json = {}
    for name, value in live.items():
        out[name] = merge(value, config.get(name, ABSENT), child_of(node, name))
    for name, value in config.items():
        if name not in live:
            out[name] = merge(ABSENT, value, child_of(node, name))
    return out


def _checked(config: Any, node: Node) -> Any:
    """A value that comes whole still may not name a list item twice."""
    if type(config) is dict and granular_map(node):
        return {name: _checked(value, child_of(node, name)) for name, value in config.items()}
    if type(config) is list and granular_list(node):
        _unique_elements(config, node)
        return [_checked(item, node.items or ANYTHING) for item in config]
    return config


def _unique_elements(items: list[Any], node: Node) -> dict[str, int]:
    """The items' names, each with its place."""
    found: dict[str, int] = {}
    for index, item in enumerate(items):
        try:
            element = item_element(item, node)
        except MissingKey as error:
            message = (
                f"element {index}: associative list with keys has an element that omits key field {error.args[0]!r}"
            )
            raise ApiError(400, "BadRequest", f"failed to create typed patch object: {message}") from error
        if element in found:
            raise ApiError(
                400, "BadRequest", f"failed to create typed patch object: duplicate entries for key {element}"
            )
        found[element] = index
    return found


def _merge_lists(live: list[Any], config: list[Any], node: Node) -> list[Any]:
    """The configuration's order for what it names; what only lives stays where it stands between those."""
    left, places = elements(live, node), _unique_elements(config, node)
    right = list(places)
    lefts = dict(zip(left, live, strict=True))
    below = node.items or ANYTHING
    shared = deque(element for element in right if element in lefts)
    out: list[Any] = []
    i = j = 0
    while i < len(left) or j < len(right):
        if i < len(left) and j < len(right):
            if left[i] == right[j]:
                out.append(merge(live[i], config[j], below))
                shared.popleft()
                i, j = i + 1, j + 1
                continue
            if left[i] in places and shared and shared[0] != left[i]:
                i += 1
                continue
        if i < len(left):
            if left[i] not in places:
                out.append(live[i])
                i += 1
                continue
            if places[left[i]] < j:
                i += 1
        if j < len(right):
            out.append(merge(lefts.get(right[j], ABSENT), config[j], below))
            if shared and shared[0] == right[j]:
                shared.popleft()
            j += 1
    return out
