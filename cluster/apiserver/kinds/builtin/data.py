"""Secret and ConfigMap: their keys, their encodings, their immutability."""

# ruff: noqa: ARG002 (a hook is given all that any kind may need)

import base64
import binascii
import re
from typing import Any

from cluster.apiserver.errors import (
    FieldError,
    field_forbidden,
    field_invalid,
    field_required,
    field_too_long,
)
from cluster.apiserver.kinds.builtin.core import BuiltIn
from cluster.apiserver.types import Json

DATA_KEY = re.compile(r"[-._a-zA-Z0-9]+")
MAX_BYTES = 1024 * 1024
KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
REQUIRED_KEYS = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}


def is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def bad_base64(obj: Json, field: str) -> str:
    for value in (obj.get(field) or {}).values():
        if isinstance(value, str) and not is_base64(value):
            return f"illegal base64 data in {field}"
    return ""


def data_errors(data: dict[str, Any], field: str) -> list[FieldError]:
    """Problems of the keys and the size of a `data` map."""
    errors: list[FieldError] = []
    for key in data:
        if len(key) > 253:
            errors.append(field_invalid(f"{field}[{key}]", key, "must be no more than 253 characters"))
        elif not DATA_KEY.fullmatch(key) or key in (".", "..") or key.startswith("../"):
            errors.append(field_invalid(f"{field}[{key}]", key, KEY_RULE))
    return errors


def immutability_errors(obj: Json, old: Json | None, fields: tuple[str, ...]) -> list[FieldError]:
    if old is None or not old.get("immutable"):
        return []
    if not obj.get("immutable"):
        return [field_forbidden("immutable", "field is immutable when `immutable` is set")]
    changed = [name for name in fields if (obj.get(name) or {}) != (old.get(name) or {})]
    return [field_forbidden(name, "field is immutable when `immutable` is set") for name in changed]


def _drop_empty(obj: Json, *fields: str) -> None:
    """An empty map is none, as in a program's struct."""
    for name in fields:
        if not obj.get(name):
            obj.pop(name, None)


class SecretStrategy(BuiltIn):
    def prepare(self, obj: Json, old: Json | None) -> None:
        plain = obj.pop("stringData", None)
        if plain:
            data = obj.setdefault("data", {})
            for key, value in plain.items():
                data[key] = base64.b64encode(value.encode()).decode()
        if not obj.get("type"):
            obj["type"] = "Opaque"
        _drop_empty(obj, "data")

    def check_format(self, obj: Json) -> str:
        return bad_base64(obj, "data")

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        data: dict[str, str] = obj.get("data") or {}
        errors = data_errors(data, "data")
        if sum(len(base64.b64decode(value)) for value in data.values()) > MAX_BYTES:
            errors.append(field_too_long("data", f"may not be more than {MAX_BYTES} bytes"))
        for key in REQUIRED_KEYS.get(obj["type"], ()):
            if key not in data:
                errors.append(field_required(f"data[{key}]"))
        if old is not None and old.get("type") != obj["type"]:
            errors.append(field_invalid("type", obj["type"], "field is immutable"))
        return errors + immutability_errors(obj, old, ("data",))

    def selectable(self, obj: Json, field: str) -> str | None:
        return str(obj.get("type", "")) if field == "type" else None

    @property
    def selectable_fields(self) -> tuple[str, ...]:
        return ("type",)


class ConfigMapStrategy(BuiltIn):
    def prepare(self, obj: Json, old: Json | None) -> None:
        _drop_empty(obj, "data", "binaryData")

    def check_format(self, obj: Json) -> str:
        return bad_base64(obj, "binaryData")

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        data: dict[str, str] = obj.get("data") or {}
        binary: dict[str, str] = obj.get("binaryData") or {}
        errors = data_errors(data, "data") + data_errors(binary, "binaryData")
        errors += [
            field_invalid(f"data[{key}]", key, f"duplicate of key present in binaryData: {key}")
            for key in data
            if key in binary
        ]
        total = sum(len(value.encode()) for value in data.values()) + sum(
            len(value) * 3 // 4 for value in binary.values()
        )
        if total > MAX_BYTES:
            errors.append(field_too_long("", f"may not be more than {MAX_BYTES} bytes"))
        return errors + immutability_errors(obj, old, ("data", "binaryData"))
