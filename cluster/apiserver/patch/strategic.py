"""Strategic merge patch, for built-in kinds: keyed lists are merged, directives steer.

Merge keys are those of the schema (map lists and sets); `$patch`, `$deleteFromPrimitiveList/x`, `$setElementOrder/x`
and `$retainKeys` are known.
"""

from typing import Any

from cluster.apiserver.errors import bad_request
from cluster.apiserver.fields.elements import child_of
from cluster.apiserver.schema.node import ANYTHING, Node
from cluster.apiserver.types import Json

DIRECTIVE = "$patch"
DELETE_PRIMITIVES = "$deleteFromPrimitiveList/"
ORDER = "$setElementOrder/"
RETAIN = "$retainKeys"


def strategic_merge(value: Json, patch: Json, node: Node) -> Json:
    """`value` with `patch` applied; neither is changed."""
    directive = patch.get(DIRECTIVE)
    if directive == "replace":
        return {name: item for name, item in patch.items() if name != DIRECTIVE}
    if directive == "delete":
        return {}
    if directive not in (None, "merge"):
        raise bad_request(f"Unknown patch type found: {directive}")
    out = dict(value)
    if RETAIN in patch:
        out = {name: item for name, item in out.items() if name in patch[RETAIN]}
    for name, item in patch.items():
        if not name.startswith("$"):
            _set(out, name, item, child_of(node, name))
    _list_directives(out, patch, node)
    return out


def _set(out: Json, name: str, item: Any, node: Node) -> None:
    if item is None:
        out.pop(name, None)
    elif isinstance(item, dict):
        before = out.get(name)
        out[name] = strategic_merge(before if isinstance(before, dict) else {}, item, node)
    elif isinstance(item, list) and isinstance(out.get(name), list) and node.list_type != "atomic":
        out[name] = _merge_list(out[name], item, node)
    elif isinstance(item, list):
        out[name] = [entry for entry in item if not (isinstance(entry, dict) and DIRECTIVE in entry)]
    else:
        out[name] = item


def _merge_list(items: list[Any], patch: list[Any], node: Node) -> list[Any]:
    if any(isinstance(entry, dict) and entry.get(DIRECTIVE) == "replace" for entry in patch):
        return [entry for entry in patch if not (isinstance(entry, dict) and DIRECTIVE in entry)]
    if node.list_type == "set":
        sent = list(dict.fromkeys(patch))
        return _interleaved([item for item in items if item not in sent], sent, items)
    out = list(items)
    for entry in patch:
        if not isinstance(entry, dict):
            raise bad_request("an item of a keyed list must be an object")
        _merge_item(out, entry, node)
    named = [[item for item in out if _same_key(item, entry, node)] for entry in patch]
    sent = [item for found in named for item in found]
    # What was there, as it is now: by that the order goes.
    there = [next((item for item in out if _same_key(item, was, node)), was) for was in items]
    return _interleaved([item for item in out if item not in sent], sent, there)


def _interleaved(others: list[Any], sent: list[Any], there: list[Any]) -> list[Any]:
    """What a patch names keeps the patch's order, the others theirs; one of those comes before the first of the sent
    that it stood before."""
    out: list[Any] = []
    left, right = list(others), list(sent)
    while left and right:
        before = right[0] in there and there.index(left[0]) < there.index(right[0])
        out.append(left.pop(0) if before else right.pop(0))
    return out + left + right


def _merge_item(out: list[Any], entry: Json, node: Node) -> None:
    if any(key not in entry for key in node.list_keys):
        raise bad_request(f"map: {entry} does not contain declared merge key: {node.list_keys[0]}")
    found = next((i for i, item in enumerate(out) if _same_key(item, entry, node)), None)
    if entry.get(DIRECTIVE) == "delete":
        if found is not None:
            del out[found]
    elif found is None:
        out.append({name: value for name, value in entry.items() if name != DIRECTIVE})
    else:
        out[found] = strategic_merge(out[found], entry, node.items or ANYTHING)


def _same_key(item: Any, entry: Json, node: Node) -> bool:
    return isinstance(item, dict) and all(item.get(key) == entry.get(key) for key in node.list_keys)


def _list_directives(out: Json, patch: Json, node: Node) -> None:
    for name, values in patch.items():
        if name.startswith(DELETE_PRIMITIVES):
            field = name.removeprefix(DELETE_PRIMITIVES)
            if isinstance(out.get(field), list):
                out[field] = [item for item in out[field] if item not in values]
    for name, order in patch.items():
        if name.startswith(ORDER):
            field = name.removeprefix(ORDER)
            if isinstance(out.get(field), list):
                out[field] = _ordered(out[field], order, child_of(node, field))


def _ordered(items: list[Any], order: list[Any], node: Node) -> list[Any]:
    """Items that `order` names stand in its order; the others keep their places."""

    def position(item: Any) -> int | None:
        for index, wanted in enumerate(order):
            if item == wanted or (isinstance(wanted, dict) and _same_key(item, wanted, node)):
                return index
        return None

    named = sorted((item for item in items if position(item) is not None), key=lambda item: position(item) or 0)
    return [named.pop(0) if position(item) is not None else item for item in items]
