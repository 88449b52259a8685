"""The parts of a definition's versions beside the schema: columns, subresources, selectable fields, deprecations."""

import re

from cluster.apiserver.errors import (
    FieldError,
    field_duplicate,
    field_invalid,
    field_required,
    field_too_many,
)
from cluster.apiserver.types import Json

COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
MAX_SELECTABLE = 8
MAX_WARNING = 256
FIELD_PATH = re.compile(r"(\.[^.\[\]]+|\.?\['[^']+'\])+")
FIELD_STEP = re.compile(r"\.([^.\[\]]+)|\['([^']+)'\]")


def columns_errors(columns: list[Json], path: str) -> list[FieldError]:
    return [error for index, column in enumerate(columns) for error in _column_errors(column, f"{path}[{index}]")]


def _column_errors(column: Json, path: str) -> list[FieldError]:
    errors = [field_required(f"{path}.{name}") for name in ("name", "type") if not column.get(name)]
    for name, known in (("type", COLUMN_TYPES), ("format", COLUMN_FORMATS)):
        if column.get(name) and column[name] not in known:
            errors.append(field_invalid(f"{path}.{name}", column[name], f"must be one of {','.join(known)}"))
    return errors + _path_errors(column.get("jsonPath"), f"{path}.JSONPath", (".",))


def _path_errors(sent: str | None, path: str, starts: tuple[str, ...]) -> list[FieldError]:
    if not sent:
        return [field_required(path)]
    if not sent.startswith(starts):
        return [field_invalid(path, sent, f"must be a simple json path starting with {' or '.join(starts)}")]
    return []


def scale_errors(scale: Json | None, path: str) -> list[FieldError]:
    if scale is None:
        return []
    errors = _path_errors(scale.get("specReplicasPath"), f"{path}.specReplicasPath", (".spec.",))
    errors += _path_errors(scale.get("statusReplicasPath"), f"{path}.statusReplicasPath", (".status.",))
    if scale.get("labelSelectorPath"):
        errors += _path_errors(scale["labelSelectorPath"], f"{path}.labelSelectorPath", (".spec.", ".status."))
    return errors


def selectable_errors(fields: list[Json], schema: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[tuple[str, ...]] = set()
    for index, field in enumerate(fields):
        place, sent = f"{path}[{index}].jsonPath", field.get("jsonPath")
        if not sent:
            errors.append(field_required(place))
            continue
        steps = tuple(dotted or quoted for dotted, quoted in FIELD_STEP.findall(sent))
        if not FIELD_PATH.fullmatch(sent) or not _leads_to_a_value(steps, schema):
            errors.append(field_invalid(place, sent, "must lead to a field of type string, boolean or integer"))
        elif steps in seen:
            errors.append(field_duplicate(place, sent))
        seen.add(steps)
    if len(seen) > MAX_SELECTABLE:
        errors.append(field_too_many(path, len(seen), MAX_SELECTABLE))
    return errors


def _leads_to_a_value(steps: tuple[str, ...], schema: Json) -> bool:
    if steps[:1] == ("metadata",):
        return False
    for name in steps:
        schema = (schema.get("properties") or {}).get(name) or {}
    return schema.get("type") in ("string", "boolean", "integer")


def deprecation_errors(version: Json, path: str) -> list[FieldError]:
    warning = version.get("deprecationWarning")
    if warning is None:
        return []
    told = ""
    if not version.get("deprecated"):
        told = "can only be set for deprecated versions"
    elif not warning or len(warning) > MAX_WARNING:
        told = f"must have between 1 and {MAX_WARNING} characters"
    elif not warning.isprintable():
        told = "must only contain printable characters"
    return [field_invalid(path, warning, told)] if told else []
