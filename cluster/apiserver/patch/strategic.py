"""Strategic merge patch, for built-in kinds: keyed lists are merged, directives steer.

Merge keys are those of the schema (map lists and sets); `$patch`, `$deleteFromPrimitiveList/x`, `$setElementOrder/x`
and `$retainKeys` are known.
"""

from typing import Any

from cluster.apiserver.errors import bad_request
from cluster.apiserver.fields.elements import child_of
from cluster.apiserver.patch.lists import DIRECTIVE, merge_keyed, merge_sets, only, ordered, without_values
from cluster.apiserver.schema.node import ANYTHING, Node
from cluster.apiserver.types import Json

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
        out = only(out, patch[RETAIN])
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
        return merge_sets(items, patch)
    below = node.items or ANYTHING
    return merge_keyed(items, patch, node, lambda item, entry: strategic_merge(item, entry, below))


def _list_directives(out: Json, patch: Json, node: Node) -> None:
    for name, values in patch.items():
        field = name.removeprefix(DELETE_PRIMITIVES)
        if name.startswith(DELETE_PRIMITIVES) and isinstance(out.get(field), list):
            out[field] = without_values(out[field], values)
    for name, order in patch.items():
        field = name.removeprefix(ORDER)
        if name.startswith(ORDER) and isinstance(out.get(field), list):
            out[field] = ordered(out[field], order, child_of(node, field))
