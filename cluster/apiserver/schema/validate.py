"""Does a normalized value match its schema: a list of `FieldError`, empty if it does."""

from typing import Any

import orjson

from cluster.apiserver.errors import FieldError, field_duplicate, field_required, field_type
from cluster.apiserver.schema.limits import check_limits
from cluster.apiserver.schema.node import Node
from cluster.apiserver.types import Json

NOTHING: Json = {}
TYPE_NAMES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}


def validate(value: Any, node: Node, path: str = "") -> list[FieldError]:
    errors: list[FieldError] = []
    _value(value, node, path, errors)
    return errors


def validate_change(value: Json, old: Json | None, node: Node) -> list[FieldError]:
    """As `validate`, but what is the very same object in both is not looked at again."""
    errors: list[FieldError] = []
    _value(value, node, "", errors, old)
    return errors


def type_name(value: Any) -> str:
    return "null" if value is None else TYPE_NAMES[type(value)]


def at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _value(value: Any, node: Node, path: str, errors: list[FieldError], old: Any = None) -> None:
    kind = type(value)
    if value is None:
        if node.type and not node.nullable:
            errors.append(_wrong_type(value, node, path))
        return
    if kind not in node.accepted:
        errors.append(_wrong_type(value, node, path))
        return
    if kind is dict:
        _object(value, node, path, errors, old if type(old) is dict else NOTHING)
    elif kind is list:
        _list(value, node, path, errors)
    if node.limits is not None:
        check_limits(value, node.limits, path, errors, validate)


def _wrong_type(value: Any, node: Node, path: str) -> FieldError:
    wanted = "integer,string" if node.int_or_string else node.type
    shown = type_name(value)
    return field_type(path, shown, f'{path} in body must be of type {wanted}: "{shown}"')


def _object(value: Json, node: Node, path: str, errors: list[FieldError], old: Json) -> None:
    errors.extend(field_required(at(path, name)) for name in node.required if name not in value)
    properties = node.properties
    for name, below in value.items():
        before = old.get(name)
        if below is before and below is not None:
            continue
        child = properties.get(name) or node.additional
        if child is not None and type(below) not in child.plain:
            _value(below, child, f"{path}.{name}" if path else name, errors, before)


def _list(value: list[Any], node: Node, path: str, errors: list[FieldError]) -> None:
    items = node.items
    if items is not None:
        for index, item in enumerate(value):
            _value(item, items, f"{path}[{index}]", errors)
    if node.list_type != "atomic":
        _unique(value, node, path, errors)


def _unique(value: list[Any], node: Node, path: str, errors: list[FieldError]) -> None:
    seen: set[bytes] = set()
    for index, item in enumerate(value):
        identity = {key: item.get(key) for key in node.list_keys} if _keyed(node, item) else item
        encoded = orjson.dumps(identity, option=orjson.OPT_SORT_KEYS)
        if encoded in seen:
            errors.append(field_duplicate(f"{path}[{index}]", identity))
        seen.add(encoded)


def _keyed(node: Node, item: Any) -> bool:
    return node.list_type == "map" and isinstance(item, dict)
