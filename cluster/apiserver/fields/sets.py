"""Sets of field paths, kept in the very form in which managedFields writes them.

`{"f:spec": {".": {}, "f:note": {}}}` holds spec and spec.note. A node `{}` is a member without children, a node
with "." is a member with children, a node without "." only leads to its children. No function changes its arguments.
"""

from collections.abc import Mapping
from typing import Any

FieldSet = Mapping[str, Any]

SELF = "."
LEAF: dict[str, Any] = {}
EMPTY: dict[str, Any] = {}


def is_member(node: FieldSet) -> bool:
    return not node or SELF in node


def below(node: FieldSet) -> FieldSet:
    """The children of a node."""
    return {key: child for key, child in node.items() if key != SELF} if SELF in node else node


def build(member: bool, children: FieldSet) -> FieldSet | None:
    """A node, or None if it holds nothing."""
    if member:
        return {SELF: LEAF, **children} if children else LEAF
    return children or None


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    if not left or not right:
        return left or right
    out = dict(left)
    for key, node in right.items():
        mine = out.get(key)
        if mine is None:
            out[key] = node
        elif mine is not node:
            out[key] = build(is_member(mine) or is_member(node), union(below(mine), below(node)))
    return out


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """The members of `left` that `right` does not have."""
    if not left or not right:
        return left
    out: dict[str, Any] = {}
    for key, node in left.items():
        other = right.get(key)
        if other is None:
            out[key] = node
            continue
        rest = build(is_member(node) and not is_member(other), difference(below(node), below(other)))
        if rest is not None:
            out[key] = rest
    return out


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    out: dict[str, Any] = {}
    for key, node in left.items():
        other = right.get(key)
        if other is None:
            continue
        shared = build(is_member(node) and is_member(other), intersection(below(node), below(other)))
        if shared is not None:
            out[key] = shared
    return out


def without_trees(left: FieldSet, trees: FieldSet) -> FieldSet:
    """`left` without the members of `trees` and all that is below them."""
    out: dict[str, Any] = {}
    for key, node in left.items():
        other = trees.get(key)
        if other is None:
            out[key] = node
        elif not is_member(other):
            rest = build(is_member(node), without_trees(below(node), other))
            if rest is not None:
                out[key] = rest
    return out


def paths(found: FieldSet, prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """All members as tuples of path elements, sorted."""
    out: list[tuple[str, ...]] = []
    for key in sorted(found):
        if key == SELF:
            continue
        node = found[key]
        if is_member(node):
            out.append((*prefix, key))
        out.extend(paths(below(node), (*prefix, key)))
    return out
