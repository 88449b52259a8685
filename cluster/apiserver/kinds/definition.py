"""Is a CustomResourceDefinition one that can be served here: names, versions, structural schemas, defaults, rules."""

import re
from typing import Any

from cluster.apiserver.cel.lexer import CelError
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
from cluster.apiserver.schema.structure import structure_errors
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
    if not versions:
        return [*errors, field_required("spec.versions")]
    if [version.get("storage") for version in versions].count(True) != 1:
        told = "must have exactly one version marked as storage version"
        errors.append(field_invalid("spec.versions", [v.get("name") for v in versions], told))
    if (spec.get("conversion") or {}).get("strategy", "None") != "None":
        errors.append(field_unsupported("spec.conversion.strategy", spec["conversion"]["strategy"], ["None"]))
    if spec.get("preserveUnknownFields"):
        errors.append(field_invalid("spec.preserveUnknownFields", True, "must be false in apiextensions.k8s.io/v1"))
    for index, version in enumerate(versions):
        errors.extend(_version_errors(version, f"spec.versions[{index}]"))
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
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if not isinstance(schema, dict):
        return [*errors, field_required(f"{path}.schema.openAPIV3Schema", "schemas are required")]
    return errors + schema_errors(schema, f"{path}.schema.openAPIV3Schema")


def schema_errors(schema: Json, path: str) -> list[FieldError]:
    """Problems of a CRD's schema: structure first, then rules and patterns, then its own defaults."""
    errors: list[FieldError] = []
    if schema.get("type") != "object":
        errors.append(field_invalid(f"{path}.type", schema.get("type", ""), "must be object at the root"))
    errors.extend(structure_errors(schema, path))
    if errors:
        return errors
    try:
        compile_schema(schema)
    except CelError as error:
        return [field_invalid(f"{path}.x-kubernetes-validations", _first_rule(schema), f"compilation failed: {error}")]
    except re.error as error:
        return [field_invalid(path, str(error.pattern), f"must be a valid regular expression: {error}")]
    return _default_errors(schema, path)


def _first_rule(schema: Json) -> str:
    rules = schema.get("x-kubernetes-validations") or []
    return str(rules[0].get("rule", "")) if rules else ""


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
