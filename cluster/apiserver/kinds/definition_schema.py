"""Is a definition's schema one that can be served here: its structure, its rules and patterns, its own defaults."""

from collections.abc import Iterator
from typing import Any

from cluster.apiserver.cel.lexer import CelError
from cluster.apiserver.cel.rules import compile_rules
from cluster.apiserver.errors import FieldError, field_forbidden, field_invalid
from cluster.apiserver.schema.compile import compile_schema, compiled
from cluster.apiserver.schema.node import Node
from cluster.apiserver.schema.normalize import normalize
from cluster.apiserver.schema.patterns import BadPattern, Pattern
from cluster.apiserver.schema.structure import VALIDATING, structure_errors
from cluster.apiserver.schema.validate import validate
from cluster.apiserver.types import Json

# The schema of a status that is written by itself is looked for in `properties` alone.
BESIDE_A_STATUS = frozenset({
    "description", "type", "format", "title", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
    "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "multipleOf", "required", "items", "properties",
    "externalDocs", "example", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
})  # fmt: skip


def schema_errors(schema: Json, path: str) -> list[FieldError]:
    """Problems of a CRD's schema: structure first, then rules and patterns, then its own defaults."""
    errors: list[FieldError] = []
    if schema.get("type") != "object":
        errors.append(field_invalid(f"{path}.type", schema.get("type", ""), "must be object at the root"))
    if schema.get("nullable"):
        errors.append(field_forbidden(f"{path}.nullable", "nullable cannot be true at the root"))
    errors.extend(structure_errors(schema, path))
    if errors:
        return errors
    errors.extend(_uncompiled(schema, path) or _default_errors(schema, path))
    if not errors:
        # Of a big one here, beside the loop, and not when it is served.
        compiled(schema)
    return errors


def status_errors(schema: Json, path: str) -> list[FieldError]:
    """What may not stand at the root of a schema with a status subresource."""
    if schema.keys() <= BESIDE_A_STATUS:
        return []
    told = f"only {sorted(BESIDE_A_STATUS)} fields are allowed at the root of the schema if the status is a subresource"
    return [field_invalid(path, sorted(schema), told)]


def _uncompiled(schema: Json, path: str) -> list[FieldError]:
    """Rules and patterns that this server cannot run, wherever they stand."""
    errors: list[FieldError] = []
    for index, rule in enumerate(schema.get("x-kubernetes-validations") or []):
        try:
            compile_rules([rule])
        except CelError as error:
            place = f"{path}.x-kubernetes-validations[{index}].rule"
            errors.append(field_invalid(place, rule.get("rule", ""), f"compilation failed: {error}"))
    try:
        Pattern(schema.get("pattern") or "")
    except BadPattern as error:
        errors.append(field_invalid(f"{path}.pattern", schema["pattern"], f"must be a regular expression: {error}"))
    for place, below in _schemas_below(schema, path):
        errors.extend(_uncompiled(below, place))
    return errors


def _schemas_below(schema: Json, path: str) -> Iterator[tuple[str, Json]]:
    for name, below in (schema.get("properties") or {}).items():
        yield f"{path}.properties[{name}]", below
    for name in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(name), dict):
            yield f"{path}.{name}", schema[name]
    for name in VALIDATING:
        for index, branch in enumerate(schema.get(name) or []):
            yield f"{path}.{name}[{index}]", branch


def _default_errors(schema: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, below in (schema.get("properties") or {}).items():
        place = f"{path}.properties[{name}]"
        if "default" in below:
            errors.extend(_one_default(below["default"], compile_schema(below), f"{place}.default"))
        errors.extend(_default_errors(below, place))
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            errors.extend(_default_errors(schema[name], f"{path}.{name}"))
    return errors


def _one_default(value: Any, node: Node, path: str) -> list[FieldError]:
    holder = Node("object")
    holder.properties = {"default": node}
    wrapped: Json = {"default": value}
    unknown = normalize(wrapped, holder)
    if unknown:
        return [field_invalid(path, value, f"must not have unknown fields: {unknown[0]}")]
    if "default" not in wrapped:
        return [field_invalid(path, value, "must not be null")]
    return validate(wrapped["default"], node, path)
