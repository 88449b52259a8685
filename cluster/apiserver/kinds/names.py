"""Rules for names, labels, annotations, finalizers and owner references: what every object's metadata must obey."""

import re
from typing import Any

from cluster.apiserver.errors import FieldError, field_invalid, field_required, field_too_long
from cluster.apiserver.types import Json

SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
QUALIFIED = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
MAX_ANNOTATIONS = 256 * 1024
BUILT_IN_FINALIZERS = frozenset(
    {"foregroundDeletion", "orphan", "kubernetes", "customresourcecleanup.apiextensions.k8s.io"}
)
SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character"
)
KEY_RULE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character"
)


def name_errors(name: Any, field: str = "metadata.name") -> list[FieldError]:
    if not name:
        return [field_required(field, "name or generateName is required")]
    if len(name) > 253:
        return [field_invalid(field, name, "must be no more than 253 bytes")]
    if not SUBDOMAIN.fullmatch(name):
        return [field_invalid(field, name, SUBDOMAIN_RULE)]
    return []


def segment_errors(name: Any, field: str = "metadata.name") -> list[FieldError]:
    """Of names that need only fit into a path."""
    if not name:
        return [field_required(field, "name or generateName is required")]
    if name in (".", ".."):
        return [field_invalid(field, name, f"may not be '{name}'")]
    wrong = [sign for sign in "/%" if sign in name]
    return [field_invalid(field, name, f"may not contain '{sign}'") for sign in wrong]


def namespace_name_errors(name: str, field: str = "metadata.name") -> list[FieldError]:
    if len(name) > 63:
        return [field_invalid(field, name, "must be no more than 63 bytes")]
    if not LABEL.fullmatch(name):
        return [field_invalid(field, name, LABEL_RULE)]
    return []


def qualified_problem(key: str) -> str:
    """What is wrong with a label or annotation key, or ""."""
    prefix, slash, name = key.rpartition("/")
    if slash and (not prefix or len(prefix) > 253 or not SUBDOMAIN.fullmatch(prefix)):
        return f"prefix part {SUBDOMAIN_RULE}"
    if not name:
        return "name part must be non-empty"
    if len(name) > 63:
        return "name part must be no more than 63 bytes"
    return "" if QUALIFIED.fullmatch(name) else KEY_RULE


def label_value_problem(value: str) -> str:
    if len(value) > 63:
        return "must be no more than 63 bytes"
    return "" if not value or QUALIFIED.fullmatch(value) else VALUE_RULE


def metadata_errors(metadata: Json) -> list[FieldError]:
    """Problems of labels, annotations, finalizers and owner references (types are checked before)."""
    errors: list[FieldError] = []
    for key, value in (metadata.get("labels") or {}).items():
        problem = qualified_problem(key)
        if problem:
            errors.append(field_invalid("metadata.labels", key, problem))
        problem = label_value_problem(value)
        if problem:
            errors.append(field_invalid("metadata.labels", value, problem))
    errors.extend(_annotations(metadata.get("annotations") or {}))
    for finalizer in metadata.get("finalizers") or ():
        problem = qualified_problem(finalizer)
        if problem:
            errors.append(field_invalid("metadata.finalizers", finalizer, problem))
    errors.extend(_owners(metadata.get("ownerReferences") or []))
    return errors


def _annotations(annotations: dict[str, str]) -> list[FieldError]:
    problems = [(key, qualified_problem(key.lower())) for key in annotations]
    errors = [field_invalid("metadata.annotations", key, problem) for key, problem in problems if problem]
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > MAX_ANNOTATIONS:
        errors.append(field_too_long("metadata.annotations", f"may not be more than {MAX_ANNOTATIONS} bytes"))
    return errors


def _owners(owners: list[Json]) -> list[FieldError]:
    errors: list[FieldError] = []
    for owner in owners:
        for name in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(name):
                errors.append(field_invalid(f"metadata.ownerReferences.{name}", "", "must not be empty"))
    controllers = [owner for owner in owners if owner.get("controller")]
    if len(controllers) > 1:
        message = "Only one reference can have Controller set to true"
        errors.append(field_invalid("metadata.ownerReferences", controllers, message))
    return errors


def finalizer_warnings(finalizers: list[str]) -> list[str]:
    return [
        f'metadata.finalizers: "{name}": prefer a domain-qualified finalizer name'
        f"{' including a path (/)' if '.' in name else ''} to avoid accidental conflicts with other finalizer writers"
        for name in finalizers
        if "/" not in name and name not in BUILT_IN_FINALIZERS
    ]
