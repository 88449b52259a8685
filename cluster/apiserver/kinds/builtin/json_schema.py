"""The schemas that definitions carry: which fields they have, and which of them go when they are empty."""

from collections.abc import Iterator
from typing import Any

from cluster.apiserver.schema.node import ANYTHING, Node
from cluster.apiserver.types import Json

_TEXTS = ("id", "$schema", "description", "type", "format", "title", "pattern")
_FLAGS = (
    "exclusiveMaximum", "exclusiveMinimum", "uniqueItems", "nullable", "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
)  # fmt: skip
_COUNTS = ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties")
_FIGURES = ("maximum", "minimum", "multipleOf")
_NAMES = ("required", "x-kubernetes-list-map-keys")
_BRANCHES = ("allOf", "oneOf", "anyOf")
_MAPS = ("properties", "patternProperties", "definitions")
_KEPT_TEXTS = ("$ref", "x-kubernetes-list-type", "x-kubernetes-map-type")
_BELOW = ("items", "additionalProperties", "additionalItems")
OMITTED_WHEN_EMPTY = (*_TEXTS, *_FLAGS, *_NAMES, *_BRANCHES, *_MAPS, "enum", "dependencies", "x-kubernetes-validations")


def _list_of(items: Node) -> Node:
    node = Node("array")
    node.items = items
    return node


def _map_of(values: Node) -> Node:
    node = Node("object")
    node.additional = values
    return node


def _object_with(**properties: Node) -> Node:
    node = Node("object")
    node.properties = properties
    return node


def _rule() -> Node:
    texts = {name: Node("string") for name in ("rule", "message", "messageExpression", "reason", "fieldPath")}
    return _object_with(**texts, optionalOldSelf=Node("boolean"))


def schema_of_schemas() -> Node:
    """It leads back to itself, as schemas stand in schemas."""
    schema, either = Node("object"), Node()
    fields: dict[str, Node] = {name: Node("string") for name in (*_TEXTS, *_KEPT_TEXTS)}
    fields |= {name: Node("boolean") for name in (*_FLAGS, "x-kubernetes-preserve-unknown-fields")}
    fields |= {name: Node("integer") for name in _COUNTS} | {name: Node("number") for name in _FIGURES}
    fields |= {name: _list_of(Node("string")) for name in _NAMES} | {name: _list_of(schema) for name in _BRANCHES}
    fields |= {name: _map_of(schema) for name in _MAPS} | dict.fromkeys(_BELOW, either)
    fields |= {"default": ANYTHING, "example": ANYTHING, "enum": _list_of(ANYTHING), "dependencies": ANYTHING}
    fields["not"] = schema
    fields["externalDocs"] = _object_with(description=Node("string"), url=Node("string"))
    fields["x-kubernetes-validations"] = _list_of(_rule())
    schema.properties = either.properties = fields
    either.items = schema
    return schema


def carry_schemas(definition: Node) -> None:
    """Have the schemas of this compiled kind's versions looked into, too."""
    versions = definition.properties["spec"].properties["versions"].items
    assert versions is not None
    versions.properties["schema"].properties["openAPIV3Schema"] = schema_of_schemas()


def drop_empty(schema: Json) -> None:
    """What the real server leaves out when it writes a schema down, here and below."""
    for name in OMITTED_WHEN_EMPTY:
        if name in schema and not schema[name]:
            del schema[name]
    for below in _schemas_in(schema):
        drop_empty(below)


def _schemas_in(schema: Json) -> Iterator[Json]:
    for name in (*_BRANCHES, *_BELOW, "not"):
        yield from _schemas_of(schema.get(name))
    for name in _MAPS:
        for below in (schema.get(name) or {}).values():
            yield from _schemas_of(below)


def _schemas_of(value: Any) -> Iterator[Json]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))
