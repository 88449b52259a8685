"""A compiled structural schema: one node a level, with everything the hot walks need as plain attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cluster.apiserver.cel.rules import Rule
    from cluster.apiserver.schema.patterns import Pattern


class Limits:
    """The value checks of a node; absent ones are None. `branched`: there are schemas that only validate."""

    __slots__ = (
        "all_of", "any_of", "branched", "enum", "exclusive_max", "exclusive_min", "format", "max_items", "max_length",
        "max_properties", "maximum", "min_items", "min_length", "min_properties", "minimum", "multiple_of",
        "none_of", "one_of", "pattern",
    )  # fmt: skip

    def __init__(self) -> None:
        self.enum: list[Any] | None = None
        self.pattern: Pattern | None = None
        self.format: str = ""
        self.minimum: float | None = None
        self.maximum: float | None = None
        self.exclusive_min = False
        self.exclusive_max = False
        self.multiple_of: float | None = None
        self.min_length: int | None = None
        self.max_length: int | None = None
        self.min_items: int | None = None
        self.max_items: int | None = None
        self.min_properties: int | None = None
        self.max_properties: int | None = None
        self.all_of: tuple[Node, ...] = ()
        self.any_of: tuple[Node, ...] = ()
        self.one_of: tuple[Node, ...] = ()
        self.none_of: Node | None = None
        self.branched = False


ACCEPTED: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "": (dict, list, str, bool, int, float),
}


class Node:
    """`type` is "" for any. `properties` of an object that is a map is empty and `additional` is its value's node.

    `accepted`: the types that a value may have; of those in `plain` there is no more to check."""

    __slots__ = (
        "accepted", "additional", "defaults", "embedded", "int_or_string", "items", "limits", "list_keys", "list_type",
        "map_atomic", "nullable", "plain", "preserve", "properties", "required", "ruled", "rules", "rules_below",
        "type",
    )  # fmt: skip

    def __init__(self, kind: str = "", *, int_or_string: bool = False) -> None:
        self.type = kind
        self.int_or_string = int_or_string
        self.accepted = (int, str) if int_or_string else ACCEPTED[kind]
        self.plain = tuple(one for one in self.accepted if one not in (dict, list))
        self.properties: dict[str, Node] = {}
        self.additional: Node | None = None
        self.items: Node | None = None
        self.required: tuple[str, ...] = ()
        self.nullable = False
        self.preserve = False
        self.embedded = False
        self.defaults: tuple[tuple[str, Callable[[], Any]], ...] = ()
        self.list_type = "atomic"
        self.list_keys: tuple[str, ...] = ()
        self.map_atomic = False
        self.limits: Limits | None = None
        self.rules: tuple[Rule, ...] = ()
        self.ruled: tuple[tuple[str, Node], ...] = ()
        self.rules_below = False

    def child(self, name: str) -> Node | None:
        """The node below a field, None for a field that the schema does not know."""
        found = self.properties.get(name)
        return found if found is not None else self.additional


ANYTHING = Node()
ANYTHING.preserve = True
ANYTHING.nullable = True
"""A value without a schema: maps are merged by key, lists are replaced whole."""
