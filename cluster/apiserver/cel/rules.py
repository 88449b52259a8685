"""x-kubernetes-validations: compiled with the schema, run over an object and, for transitions, the one before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from cluster.apiserver.cel.lexer import CelError
from cluster.apiserver.cel.parser import Expression, compile_expression
from cluster.apiserver.errors import FieldError, shown
from cluster.apiserver.types import Json

if TYPE_CHECKING:
    from cluster.apiserver.schema.node import Node

VARIABLES = frozenset({"self", "oldSelf"})
REASONS = ("FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate")
KNOWN = frozenset({"rule", "message", "messageExpression", "reason", "fieldPath"})
ABSENT = object()


class Rule(NamedTuple):
    source: str
    expression: Expression
    transition: bool
    message: str
    message_expression: Expression | None
    reason: str
    field_path: str


def compile_rules(raw: Sequence[Json]) -> tuple[Rule, ...]:
    """Raises CelError for what cannot be evaluated here: a rule is never silently left out."""
    return tuple(_compile(rule) for rule in raw)


def check_rules(value: Any, old: Any, node: Node, path: str = "") -> list[FieldError]:
    """Run the rules of `node` and below; `old` is ABSENT when there is no earlier value to compare with."""
    errors: list[FieldError] = []
    _walk(value, old, node, path, errors)
    return errors


def _compile(raw: Json) -> Rule:
    unknown = set(raw) - KNOWN
    if unknown:
        raise CelError(f"this server does not know the rule option {sorted(unknown)[0]}")
    reason = raw.get("reason", "FieldValueInvalid")
    if reason not in REASONS:
        raise CelError(f"unknown reason {reason}: supported values: {', '.join(REASONS)}")
    source = raw.get("rule", "")
    expression, used = compile_expression(source, VARIABLES)
    told = raw.get("messageExpression")
    message = compile_expression(told, VARIABLES)[0] if told else None
    return Rule(
        source, expression, "oldSelf" in used, raw.get("message", ""), message, reason, raw.get("fieldPath", "")
    )


def _walk(value: Any, old: Any, node: Node, path: str, errors: list[FieldError]) -> None:
    if not node.rules_below or value is None:
        return
    for rule in node.rules:
        if rule.transition and (old is ABSENT or old is None):
            continue
        error = _run(rule, value, old, path)
        if error is not None:
            errors.append(error)
    if isinstance(value, dict):
        before = old if isinstance(old, dict) else {}
        for name, child in node.ruled:
            if name in value:
                _walk(value[name], before.get(name, ABSENT), child, f"{path}.{name}" if path else name, errors)
        if node.additional is not None and node.additional.rules_below:
            for name, below in value.items():
                _walk(below, before.get(name, ABSENT), node.additional, f"{path}.{name}" if path else name, errors)
    elif isinstance(value, list) and node.items is not None and node.items.rules_below:
        earlier = _by_key(old, node) if isinstance(old, list) else {}
        for index, item in enumerate(value):
            _walk(item, earlier.get(_key(item, node), ABSENT), node.items, f"{path}[{index}]", errors)


def _run(rule: Rule, value: Any, old: Any, path: str) -> FieldError | None:
    scope = {"self": value, "oldSelf": None if old is ABSENT else old}
    field = path + rule.field_path if path else rule.field_path.lstrip(".")
    try:
        result = rule.expression(scope)
    except CelError as error:
        return FieldError(rule.reason, field, f"Invalid value: {_told(value)}: rule: {rule.source}: {error}")
    if result is True:
        return None
    message = _message(rule, scope)
    if rule.reason == "FieldValueForbidden":
        return FieldError(rule.reason, field, f"Forbidden: {message}")
    if rule.reason == "FieldValueRequired":
        return FieldError(rule.reason, field, f"Required value: {message}")
    return FieldError(rule.reason, field, f"Invalid value: {_told(value)}: {message}")


def _message(rule: Rule, scope: Json) -> str:
    if rule.message_expression is not None:
        try:
            text = rule.message_expression(scope)
        except CelError:
            text = ""
        if isinstance(text, str) and text.strip():
            return text
    return rule.message or f"failed rule: {rule.source}"


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return '"object"'
    return '"array"' if isinstance(value, list) else shown(value)


def _by_key(items: list[Any], node: Node) -> dict[bytes, Any]:
    """Only items of a map list can be told to be the same one as before."""
    return {_key(item, node): item for item in items} if node.list_type == "map" else {}


def _key(item: Any, node: Node) -> bytes:
    if node.list_type != "map" or not isinstance(item, dict):
        return b""
    return orjson.dumps([item.get(key) for key in node.list_keys])
