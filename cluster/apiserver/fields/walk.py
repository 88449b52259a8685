"""The field set of an object, and how two objects differ in theirs."""

from collections import Counter
from typing import Any, NamedTuple

import orjson

from cluster.apiserver.fields.elements import (
    child_of,
    elements,
    field,
    granular_list,
    granular_map,
)
from cluster.apiserver.fields.sets import EMPTY, LEAF, SELF, FieldSet, build
from cluster.apiserver.schema.node import ANYTHING, Node
from cluster.apiserver.types import Json

ABSENT: Any = object()
Triple = tuple[FieldSet | None, FieldSet | None, FieldSet | None]
NOTHING: Triple = (None, None, None)


class Comparison(NamedTuple):
    added: FieldSet
    modified: FieldSet
    removed: FieldSet


def to_set(value: Any, node: Node) -> FieldSet:
    """What an apply of `value` owns: its leaves, its list items, its empty maps."""
    return _leaves(value, node)[1]


def everything_in(new: Json, node: Node) -> FieldSet:
    """What `compare` finds added where there was nothing before."""
    return {"f:" + name: _whole(value, child_of(node, name)) for name, value in new.items()}


def compare(old: Any, new: Any, node: Node) -> Comparison:
    """What changed from `old` to `new` (both objects); a new map or list counts itself as added too."""
    added, modified, removed = _compare(old, new, node)
    return Comparison(added or EMPTY, modified or EMPTY, removed or EMPTY)


def _leaves(value: Any, node: Node) -> tuple[bool, FieldSet]:
    """(is it a leaf, the members below it)"""
    if type(value) is dict and granular_map(node):
        out: dict[str, FieldSet] = {}
        for name, item in value.items():
            leaf, children = _leaves(item, child_of(node, name))
            made = build(leaf or item == {} or name not in node.properties, children)
            if made is not None:
                out[field(name)] = made
        return False, out
    if type(value) is list and granular_list(node):
        below = node.items or ANYTHING
        named = zip(elements(value, node), value, strict=True)
        return False, {element: build(True, _leaves(item, below)[1]) for element, item in named}
    return True, EMPTY


def _whole(value: Any, node: Node) -> FieldSet:
    """Everything in a value, itself and its maps and lists included: what a write that brings it owns."""
    if type(value) is dict and value and granular_map(node):
        out: dict[str, FieldSet] = {SELF: LEAF}
        for name, item in value.items():
            out["f:" + name] = _whole(item, child_of(node, name)) if type(item) in (dict, list) else LEAF
        return out
    if type(value) is list and value and granular_list(node):
        below = node.items or ANYTHING
        out = {SELF: LEAF}
        for element, item in zip(elements(value, node), value, strict=True):
            out[element] = _whole(item, below)
        return out
    return LEAF


def _compare(old: Any, new: Any, node: Node) -> Triple:
    if old is ABSENT:
        return _whole(new, node), None, None
    if new is ABSENT:
        return None, None, _whole(old, node)
    if _is_map(old, new) and granular_map(node) and (old or new):
        names = list(old or {}) + [name for name in new or {} if name not in (old or {})]
        return _gather(
            [
                ("f:" + name, (old or {}).get(name, ABSENT), (new or {}).get(name, ABSENT), child_of(node, name))
                for name in names
            ]
        )
    if _is_list(old, new) and granular_list(node) and (old or new):
        return _compare_lists(old or [], new or [], node)
    return NOTHING if same(old, new) else (None, LEAF, None)


def _is_map(old: Any, new: Any) -> bool:
    return (type(old) is dict and (new is None or type(new) is dict)) or (old is None and type(new) is dict)


def _is_list(old: Any, new: Any) -> bool:
    return (type(old) is list and (new is None or type(new) is list)) or (old is None and type(new) is list)


def same(old: Any, new: Any) -> bool:
    """Equal by type and value: True is not 1."""
    if old is new:
        return True
    if type(old) is not type(new):
        return False
    if type(old) in (dict, list):
        return old == new and orjson.dumps(old, option=orjson.OPT_SORT_KEYS) == orjson.dumps(
            new, option=orjson.OPT_SORT_KEYS
        )
    return bool(old == new)


def _gather(pairs: list[tuple[str, Any, Any, Node]]) -> Triple:
    added: dict[str, FieldSet] = {}
    modified: dict[str, FieldSet] = {}
    removed: dict[str, FieldSet] = {}
    for element, old, new, node in pairs:
        if old is new:
            continue
        plus, changed, minus = _compare(old, new, node)
        if plus is not None:
            added[element] = plus
        if changed is not None:
            modified[element] = changed
        if minus is not None:
            removed[element] = minus
    return added or None, modified or None, removed or None


def _compare_lists(old: list[Any], new: list[Any], node: Node) -> Triple:
    before, after = elements(old, node), elements(new, node)
    twice = {e for counts in (Counter(before), Counter(after)) for e, n in counts.items() if n > 1}
    olds, news = dict(zip(before, old, strict=True)), dict(zip(after, new, strict=True))
    below = node.items or ANYTHING
    pairs: list[tuple[str, Any, Any, Node]] = []
    for element in dict.fromkeys([*before, *after]):
        if element in twice:
            # Items of one name are compared as a whole: nobody can own a part of one of them.
            was = [item for name, item in zip(before, old, strict=True) if name == element]
            now = [item for name, item in zip(after, new, strict=True) if name == element]
            pairs.append((element, was or ABSENT, now or ABSENT, ANYTHING))
        else:
            pairs.append((element, olds.get(element, ABSENT), news.get(element, ABSENT), below))
    return _gather(pairs)
