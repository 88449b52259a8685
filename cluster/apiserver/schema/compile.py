"""A JSON schema (as in a CRD that `crd` has already checked) to a `Node`."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import orjson

from cluster.apiserver.cel.rules import compile_rules
from cluster.apiserver.schema.node import Limits, Node
from cluster.apiserver.schema.patterns import Pattern
from cluster.apiserver.types import Json

NUMBER_LIMITS = {
    "minimum": "minimum", "maximum": "maximum", "multipleOf": "multiple_of", "minLength": "min_length",
    "maxLength": "max_length", "minItems": "min_items", "maxItems": "max_items",
    "minProperties": "min_properties", "maxProperties": "max_properties",
    "exclusiveMinimum": "exclusive_min", "exclusiveMaximum": "exclusive_max", "enum": "enum", "format": "format",
}  # fmt: skip
IMMUTABLE = (str, int, float, bool, type(None))


def compiled(raw: Json) -> Node:
    """The same of a whole kind's schema, and not again for the same one: it is compiled when it is checked, when it is
    stored, and at each change of its definition's status. To be left as it is."""
    return _compiled(orjson.dumps(raw))


@lru_cache(maxsize=4)
def _compiled(encoded: bytes) -> Node:
    return compile_schema(orjson.loads(encoded))


def compile_schema(raw: Json) -> Node:
    """Raises `cel.parser.CelError` for a rule that this server cannot evaluate and `BadPattern` for a bad pattern."""
    node = Node(raw.get("type", ""), int_or_string=bool(raw.get("x-kubernetes-int-or-string")))
    node.nullable = bool(raw.get("nullable"))
    node.preserve = bool(raw.get("x-kubernetes-preserve-unknown-fields"))
    node.embedded = bool(raw.get("x-kubernetes-embedded-resource"))
    node.list_type = raw.get("x-kubernetes-list-type", "atomic")
    node.list_keys = tuple(raw.get("x-kubernetes-list-map-keys") or ())
    node.map_atomic = raw.get("x-kubernetes-map-type") == "atomic"
    node.required = tuple(raw.get("required") or ())
    _compile_below(node, raw)
    node.limits = _limits(raw)
    if node.limits is not None:
        node.plain = ()
    node.rules = compile_rules(raw.get("x-kubernetes-validations") or [])
    below = [*node.properties.values(), *(n for n in (node.additional, node.items) if n is not None)]
    node.ruled = tuple((name, child) for name, child in node.properties.items() if child.rules_below)
    node.rules_below = bool(node.rules) or any(child.rules_below for child in below)
    return node


def maker(value: Any) -> Callable[[], Any]:
    """A function that gives a fresh copy of a default."""
    if isinstance(value, IMMUTABLE):
        return lambda: value
    encoded = orjson.dumps(value)
    return lambda: orjson.loads(encoded)


def _compile_below(node: Node, raw: Json) -> None:
    properties: Json = raw.get("properties") or {}
    node.properties = {name: compile_schema(below) for name, below in properties.items()}
    node.defaults = tuple((name, maker(below["default"])) for name, below in properties.items() if "default" in below)
    additional = raw.get("additionalProperties")
    if isinstance(additional, dict):
        node.additional = compile_schema(additional)
    elif additional is True:
        node.preserve = True
    if isinstance(raw.get("items"), dict):
        node.items = compile_schema(raw["items"])
    if node.embedded:
        node.properties.setdefault("apiVersion", Node("string"))
        node.properties.setdefault("kind", Node("string"))
        metadata = node.properties.setdefault("metadata", Node("object"))
        metadata.preserve = True


def _limits(raw: Json) -> Limits | None:
    limits = Limits()
    found = False
    for name, attribute in NUMBER_LIMITS.items():
        if raw.get(name) is not None:
            setattr(limits, attribute, raw[name])
            found = True
    if raw.get("pattern"):
        limits.pattern = Pattern(raw["pattern"])
        found = True
    for name, attribute in (("allOf", "all_of"), ("anyOf", "any_of"), ("oneOf", "one_of")):
        if raw.get(name) and not _only_types(raw, name):
            setattr(limits, attribute, tuple(compile_schema(branch) for branch in raw[name]))
            limits.branched = found = True
    if raw.get("not"):
        limits.none_of = compile_schema(raw["not"])
        limits.branched = found = True
    return limits if found else None


def _only_types(raw: Json, name: str) -> bool:
    """The form `anyOf: [{type: integer}, {type: string}]` that says int-or-string once more."""
    return (
        bool(raw.get("x-kubernetes-int-or-string")) and name == "anyOf" and all(set(b) == {"type"} for b in raw[name])
    )
