"""Builders of the functions that an expression is made of, with CEL's rules for errors and short cuts."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cluster.apiserver.cel.lexer import CelError

Scope = Mapping[str, Any]
Expression = Callable[[Scope], Any]

ESCAPED = {"__dot__": ".", "__dash__": "-", "__slash__": "/", "__underscores__": "__"}
RESERVED = re.compile(r"^__([a-z]+)__$")


def field_name(name: str) -> str:
    """A field as schemas name it: Kubernetes escapes what is no CEL identifier."""
    for escaped, plain in ESCAPED.items():
        name = name.replace(escaped, plain)
    match = RESERVED.match(name)
    return match.group(1) if match else name


def constant(value: Any) -> Expression:
    return lambda _: value


def select(value: Expression, field: str) -> Expression:
    def run(scope: Scope) -> Any:
        holder = value(scope)
        if isinstance(holder, dict) and field in holder:
            return holder[field]
        raise CelError(f"no such key: {field}")

    return run


def presence(value: Expression, field: str) -> Expression:
    def run(scope: Scope) -> bool:
        holder = value(scope)
        if not isinstance(holder, dict):
            raise CelError(f"no such key: {field}")
        return field in holder

    return run


def binary(compute: Callable[[Any, Any], Any], left: Expression, right: Expression) -> Expression:
    return lambda scope: compute(left(scope), right(scope))


def call(function: Callable[..., Any], arguments: list[Expression]) -> Expression:
    def run(scope: Scope) -> Any:
        try:
            return function(*(argument(scope) for argument in arguments))
        except (TypeError, ValueError) as error:
            raise CelError(f"no such overload: {error}") from error

    return run


def truth(value: Any) -> bool:
    if value is True or value is False:
        return bool(value)
    raise CelError("no such overload: a bool is needed")


def negation(value: Expression) -> Expression:
    return lambda scope: not truth(value(scope))


def conditional(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    return lambda scope: then(scope) if truth(condition(scope)) else otherwise(scope)


def both(left: Expression, right: Expression) -> Expression:
    return _decided_by(False, left, right)


def either(left: Expression, right: Expression) -> Expression:
    return _decided_by(True, left, right)


def _decided_by(decisive: bool, left: Expression, right: Expression) -> Expression:
    """`&&` is decided by a false, `||` by a true, on either side, even if the other side is an error."""

    def run(scope: Scope) -> bool:
        try:
            if truth(left(scope)) is decisive:
                return decisive
        except CelError:
            if truth(right(scope)) is decisive:
                return decisive
            raise
        return truth(right(scope))

    return run


def listing(items: list[Expression]) -> Expression:
    return lambda scope: [item(scope) for item in items]


def mapping(pairs: list[tuple[Expression, Expression]]) -> Expression:
    return lambda scope: {key(scope): value(scope) for key, value in pairs}


def _each(target: Expression, variable: str, body: Expression, scope: Scope) -> Iterable[tuple[Any, Any]]:
    holder = target(scope)
    if not isinstance(holder, list | dict):
        raise CelError("no such overload: a list or a map is needed")
    for item in holder:
        yield item, body({**scope, variable: item})


def _all(target: Expression, variable: str, body: Expression) -> Expression:
    return lambda scope: all(truth(result) for _, result in _each(target, variable, body, scope))


def _exists(target: Expression, variable: str, body: Expression) -> Expression:
    return lambda scope: any(truth(result) for _, result in _each(target, variable, body, scope))


def _exists_one(target: Expression, variable: str, body: Expression) -> Expression:
    return lambda scope: sum(truth(result) for _, result in _each(target, variable, body, scope)) == 1


def _map(target: Expression, variable: str, body: Expression) -> Expression:
    return lambda scope: [result for _, result in _each(target, variable, body, scope)]


def _filter(target: Expression, variable: str, body: Expression) -> Expression:
    return lambda scope: [item for item, result in _each(target, variable, body, scope) if truth(result)]


COMPREHENSIONS: dict[str, Callable[[Expression, str, Expression], Expression]] = {
    "all": _all,
    "exists": _exists,
    "exists_one": _exists_one,
    "map": _map,
    "filter": _filter,
}
