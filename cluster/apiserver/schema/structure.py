"""Is a schema structural: every level typed, nothing that pruning could not follow."""

from typing import Any

from cluster.apiserver.errors import FieldError, field_forbidden, field_invalid, field_required, field_unsupported
from cluster.apiserver.types import Json

TYPES = ("array", "boolean", "integer", "number", "object", "string")
FORBIDDEN = ("$ref", "definitions", "dependencies", "patternProperties", "additionalItems", "id", "deprecated")
STRUCTURAL = ("type", "properties", "additionalProperties", "items", "default", "nullable", "title", "description")
VALIDATING = ("allOf", "anyOf", "oneOf")
KNOWN = frozenset({
    *STRUCTURAL, *VALIDATING, "not", "enum", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties",
    "maxProperties", "required", "example", "externalDocs", "uniqueItems", "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-validations", *FORBIDDEN, "$schema",
})  # fmt: skip


def structure_errors(schema: Any, path: str) -> list[FieldError]:
    if not isinstance(schema, dict):
        return [field_invalid(path, schema, "must be a schema")]
    errors = _forbidden(schema, path)
    kind = schema.get("type", "")
    untyped = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    if not kind and not untyped and "$ref" not in schema:
        errors.append(field_required(f"{path}.type", "must not be empty for specified object fields"))
    if kind and kind not in TYPES:
        errors.append(field_unsupported(f"{path}.type", kind, TYPES))
    if kind == "array" and not isinstance(schema.get("items"), dict):
        errors.append(field_required(f"{path}.items", "must be specified"))
    errors.extend(_branches(schema, path))
    errors.extend(_list_errors(schema, path))
    return errors + _below(schema, path)


def _forbidden(schema: Json, path: str) -> list[FieldError]:
    errors = [field_forbidden(f"{path}.{name}", f"{name} is not supported") for name in FORBIDDEN if name in schema]
    if schema.get("uniqueItems"):
        errors.append(field_forbidden(f"{path}.uniqueItems", "uniqueItems cannot be set to true"))
    if schema.get("properties") and schema.get("additionalProperties"):
        message = "additionalProperties and properties are mutual exclusive"
        errors.append(field_forbidden(f"{path}.additionalProperties", message))
    for name in schema:
        if name not in KNOWN:
            errors.append(field_forbidden(f"{path}.{name}", "not a field of a schema"))
    return errors


def _branches(schema: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in VALIDATING:
        if name == "anyOf" and schema.get("x-kubernetes-int-or-string"):
            continue
        for index, branch in enumerate(schema.get(name) or []):
            errors.extend(_branch(branch, f"{path}.{name}[{index}]"))
    if isinstance(schema.get("not"), dict):
        errors.extend(_branch(schema["not"], f"{path}.not"))
    return errors


def _branch(branch: Json, path: str) -> list[FieldError]:
    """Inside a validating branch only value checks may stand; what has a shape stands outside."""
    names = ("type", "default", "additionalProperties", "nullable", "description", "title")
    errors = [field_forbidden(f"{path}.{name}", "must be empty to be structural") for name in names if branch.get(name)]
    for name, below in (branch.get("properties") or {}).items():
        errors.extend(_branch(below, f"{path}.properties[{name}]"))
    if isinstance(branch.get("items"), dict):
        errors.extend(_branch(branch["items"], f"{path}.items"))
    return errors + _branches(branch, path)


def _list_errors(schema: Json, path: str) -> list[FieldError]:
    kind = schema.get("x-kubernetes-list-type")
    keys = schema.get("x-kubernetes-list-map-keys") or []
    if kind is None:
        return [field_required(f"{path}.x-kubernetes-list-type")] if keys else []
    if kind not in ("atomic", "set", "map"):
        return [field_unsupported(f"{path}.x-kubernetes-list-type", kind, ("atomic", "map", "set"))]
    if kind != "map":
        return []
    if not keys:
        return [field_required(f"{path}.x-kubernetes-list-map-keys", "must not be empty if the list type is map")]
    items = schema.get("items") or {}
    properties, required = items.get("properties") or {}, items.get("required") or []
    errors: list[FieldError] = []
    for index, key in enumerate(keys):
        if key not in properties:
            message = "entries must all be names of item properties"
            errors.append(field_invalid(f"{path}.x-kubernetes-list-map-keys[{index}]", key, message))
        elif key not in required and "default" not in properties[key]:
            place = f"{path}.items.properties[{key}].default"
            message = (
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            )
            errors.append(field_required(place, message))
    return errors


def _below(schema: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, below in (schema.get("properties") or {}).items():
        # Metadata may be mentioned at the root without a type of its own.
        errors.extend(structure_errors(below, f"{path}.properties[{name}]"))
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            errors.extend(structure_errors(schema[name], f"{path}.{name}"))
    return errors
