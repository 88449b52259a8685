"""How strategic merge patches lay lists over lists: by keys or as sets, each in time linear in both."""

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from cluster.apiserver.errors import bad_request
from cluster.apiserver.schema.node import Node
from cluster.apiserver.types import Json

DIRECTIVE = "$patch"
MergeItem = Callable[[Json, Json], Json]


def merge_sets(items: list[Any], patch: list[Any]) -> list[Any]:
    """Both lists' values, each of the patch's once."""
    sent = {_whole(value): value for value in patch}
    places = _places(_whole(item) for item in items)
    others = [(place, item) for place, item in enumerate(items) if _whole(item) not in sent]
    return _interleaved(others, [(places.get(name), value) for name, value in sent.items()])


def merge_keyed(items: list[Any], patch: list[Any], node: Node, merge_item: MergeItem) -> list[Any]:
    """Items of equal keys are merged by `merge_item`, those marked for it deleted. Raises 400."""
    places = _places(_keys(item, node) for item in items)
    held: dict[str, Json | None] = {}
    for entry in patch:
        name = _required_keys(entry, node)
        if entry.get(DIRECTIVE) == "delete":
            held[name] = None
            continue
        before = held[name] if name in held else _at(items, places.get(name))
        fresh = {field: value for field, value in entry.items() if field != DIRECTIVE}
        held[name] = fresh if before is None else merge_item(before, entry)
    named = {place for name, place in places.items() if name in held}
    others = [(place, item) for place, item in enumerate(items) if place not in named]
    return _interleaved(others, [(places.get(name), item) for name, item in held.items() if item is not None])


def without_values(items: list[Any], gone: Any) -> list[Any]:
    """`items` without those of `gone`. Raises 400 if that is no list."""
    names = {_whole(value) for value in _list(gone)}
    return [item for item in items if _whole(item) not in names]


def only(fields: Json, kept: Any) -> Json:
    """The fields that `kept` names. Raises 400 if that is no list."""
    names = {_whole(name) for name in _list(kept)}
    return {name: value for name, value in fields.items() if _whole(name) in names}


def ordered(items: list[Any], order: Any, node: Node) -> list[Any]:
    """Items that `order` names stand in its order; the others keep their places. Raises 400."""
    wanted = _places(_keys(item, node) for item in _list(order))
    places = [wanted.get(_keys(item, node)) for item in items]
    named = iter(sorted((place, index) for index, place in enumerate(places) if place is not None))
    return [items[next(named)[1]] if place is not None else items[index] for index, place in enumerate(places)]


def _interleaved(others: list[tuple[int, Any]], sent: list[tuple[int | None, Any]]) -> list[Any]:
    """What a patch names keeps the patch's order, the others theirs; one of those comes before the first of the sent
    that it stood before."""
    out: list[Any] = []
    left = right = 0
    while left < len(others) and right < len(sent):
        place = sent[right][0]
        if place is not None and others[left][0] < place:
            out.append(others[left][1])
            left += 1
        else:
            out.append(sent[right][1])
            right += 1
    return out + [item for _, item in others[left:]] + [item for _, item in sent[right:]]


def _places(names: Iterable[str]) -> dict[str, int]:
    """Where each name stands first."""
    found: dict[str, int] = {}
    for place, name in enumerate(names):
        found.setdefault(name, place)
    return found


def _at(items: list[Any], place: int | None) -> Json | None:
    return None if place is None else items[place]


def _keys(item: Any, node: Node) -> str:
    """An item's name: its keys in a keyed list, else its whole value."""
    if node.list_keys and isinstance(item, dict):
        return "k:" + _whole([item.get(key) for key in node.list_keys])
    return "v:" + _whole(item)


def _required_keys(entry: Any, node: Node) -> str:
    if not isinstance(entry, dict):
        raise bad_request("an item of a keyed list must be an object")
    if any(key not in entry for key in node.list_keys):
        raise bad_request(f"map: {entry} does not contain declared merge key: {node.list_keys[0]}")
    return _keys(entry, node)


def _whole(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise bad_request(f"a directive of a strategic merge patch must hold a list, not {value!r:.80}")
    return value
