"""Is a CustomResourceDefinition one that can be served here: names, versions, structural schemas, defaults, rules."""

import re
from collections.abc import Iterator
from typing import Any

from cluster.apiserver.cel.lexer import CelError
from cluster.apiserver.cel.rules import compile_rules
from cluster.apiserver.errors import (
    FieldError,
    field_forbidden,
    field_invalid,
    field_required,
    field_unsupported,
)
from cluster.apiserver.kinds.names import LABEL, LABEL_RULE, SUBDOMAIN, SUBDOMAIN_RULE
from cluster.apiserver.output.jsonpath import compile_path
from cluster.apiserver.schema.compile import compile_schema
from cluster.apiserver.schema.node import Node
from cluster.apiserver.schema.normalize import normalize
from cluster.apiserver.schema.patterns import BadPattern, Pattern
from cluster.apiserver.schema.structure import VALIDATING, structure_errors
from cluster.apiserver.schema.validate import validate
from cluster.apiserver.types import Json

VERSION_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
COLUMN_TYPES = ("integer", "number", "string", "boolean", "date")


def definition_errors(obj: Json) -> list[FieldError]:
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return [field_required("spec")]
    errors = _name_errors(obj["metadata"]["name"], spec)
    versions = spec.get("versions") or []
    if [version.get("storage") for version in versions].count(True) != 1:
        told = "must have exactly one version marked as storage version"
        errors.append(field_invalid("spec.versions", [v.get("name") for v in versions], told))
        errors.append(field_invalid("status.storedVersions", [], "must have the storage version"))
    if (spec.get("conversion") or {}).get("strategy", "None") != "None":
        errors.append(field_unsupported("spec.conversion.strategy", spec["conversion"]["strategy"], ["None"]))
    if spec.get("preserveUnknownFields"):
        errors.append(field_invalid("spec.preserveUnknownFields", True, "must be false in apiextensions.k8s.io/v1"))
    schemas = [version.get("schema") for version in versions]
    for index, version in enumerate(versions):
        errors.extend(_version_errors(version, f"spec.versions[{index}]"))
    if schemas and all(schema == schemas[0] for schema in schemas):
        # One for all versions is told as the definition's own, as the real server keeps it.
        return errors + _schema_errors(schemas[0], "spec.validation")
    for index, schema in enumerate(schemas):
        errors.extend(_schema_errors(schema, f"spec.versions[{index}].schema"))
    return errors


def _name_errors(name: str, spec: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    group, names = spec.get("group") or "", spec.get("names") or {}
    if not group:
        errors.append(field_required("spec.group"))
    elif not SUBDOMAIN.fullmatch(group) or "." not in group:
        errors.append(field_invalid("spec.group", group, "should be a domain with at least one dot"))
    if spec.get("scope") not in ("Cluster", "Namespaced"):
        errors.append(field_unsupported("spec.scope", spec.get("scope", ""), ["Cluster", "Namespaced"]))
    for field in ("plural", "kind"):
        if not names.get(field):
            errors.append(field_required(f"spec.names.{field}"))
    for field in ("plural", "singular"):
        if names.get(field) and not LABEL.fullmatch(names[field]):
            errors.append(field_invalid(f"spec.names.{field}", names[field], LABEL_RULE))
    for index, short in enumerate(names.get("shortNames") or []):
        if not LABEL.fullmatch(short):
            errors.append(field_invalid(f"spec.names.shortNames[{index}]", short, LABEL_RULE))
    if name != f"{names.get('plural')}.{group}":
        errors.append(field_invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group'))
    if not SUBDOMAIN.fullmatch(name):
        errors.append(field_invalid("metadata.name", name, SUBDOMAIN_RULE))
    return errors


def _version_errors(version: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not version.get("name") or not VERSION_NAME.fullmatch(version["name"]):
        errors.append(field_invalid(f"{path}.name", version.get("name", ""), "must be a DNS-1035 label"))
    for field in ("served", "storage"):
        if field not in version:
            errors.append(field_required(f"{path}.{field}"))
    for index, column in enumerate(version.get("additionalPrinterColumns") or []):
        errors.extend(_column_errors(column, f"{path}.additionalPrinterColumns[{index}]"))
    errors.extend(_scale_errors((version.get("subresources") or {}).get("scale"), f"{path}.subresources.scale"))
    if not isinstance((version.get("schema") or {}).get("openAPIV3Schema"), dict):
        errors.append(field_required(f"{path}.schema.openAPIV3Schema", "schemas are required"))
    return errors


def _schema_errors(holder: Json | None, path: str) -> list[FieldError]:
    schema = (holder or {}).get("openAPIV3Schema")
    return schema_errors(schema, f"{path}.openAPIV3Schema") if isinstance(schema, dict) else []


def schema_errors(schema: Json, path: str) -> list[FieldError]:
    """Problems of a CRD's schema: structure first, then rules and patterns, then its own defaults."""
    errors: list[FieldError] = []
    if schema.get("type") != "object":
        errors.append(field_invalid(f"{path}.type", schema.get("type", ""), "must be object at the root"))
    errors.extend(structure_errors(schema, path))
    if errors:
        return errors
    return _uncompiled(schema, path) or _default_errors(schema, path)


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


def _column_errors(column: Json, path: str) -> list[FieldError]:
    errors = [field_required(f"{path}.{name}") for name in ("name", "type", "jsonPath") if not column.get(name)]
    if column.get("type") and column["type"] not in COLUMN_TYPES:
        errors.append(field_unsupported(f"{path}.type", column["type"], COLUMN_TYPES))
    path_sent = column.get("jsonPath")
    if path_sent and not path_sent.startswith("."):
        errors.append(field_invalid(f"{path}.jsonPath", path_sent, "must be a simple json path starting with ."))
    elif path_sent:
        try:
            compile_path(path_sent)
        except ValueError as error:
            errors.append(field_invalid(f"{path}.jsonPath", path_sent, str(error)))
    return errors


def _scale_errors(scale: Json | None, path: str) -> list[FieldError]:
    if scale is None:
        return []
    errors: list[FieldError] = []
    for field, start in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        if not scale.get(field):
            errors.append(field_required(f"{path}.{field}"))
        elif not scale[field].startswith(start):
            errors.append(field_invalid(f"{path}.{field}", scale[field], f"should be a json path under {start}"))
    selector = scale.get("labelSelectorPath")
    if selector and not selector.startswith((".spec.", ".status.")):
        errors.append(field_forbidden(f"{path}.labelSelectorPath", "must be under .spec. or .status."))
    return errors
