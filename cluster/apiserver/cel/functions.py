"""The functions and operators of the subset, over decoded JSON values.

Functions: size, int, double, string, bool, type-free equality and ordering, startsWith, endsWith, contains, matches,
lowerAscii, upperAscii, trim, split, join, replace, indexOf, substring, min, max, sum, isSorted. Macros (in
`parser`): has, all, exists, exists_one, map, filter. No timestamps, durations, quantities, URLs or optionals.
"""

from collections.abc import Callable
from typing import Any

from cluster.apiserver.cel.lexer import CelError
from cluster.apiserver.schema.patterns import BadPattern, pattern_of

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


def equal(left: Any, right: Any) -> bool:
    """CEL's equality: numbers compare by value, all else by type and value."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(equal(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return bool(left == right)


def ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def checked(left: Any, right: Any) -> bool:
        numbers = _is_number(left) and _is_number(right)
        if not numbers and not (isinstance(left, str) and isinstance(right, str)):
            raise CelError("no such overload: comparison of different types")
        return compare(left, right)

    return checked


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def add(left: Any, right: Any) -> Any:
    if (_is_number(left) and _is_number(right)) or (type(left) is type(right) and isinstance(left, str | list)):
        return _fits(left + right)
    raise CelError("no such overload: +")


def arithmetic(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def checked(left: Any, right: Any) -> Any:
        if not (_is_number(left) and _is_number(right)):
            raise CelError("no such overload: arithmetic on non-numbers")
        try:
            return _fits(compute(left, right))
        except ZeroDivisionError as error:
            raise CelError("division by zero") from error

    return checked


def divide(left: Any, right: Any) -> Any:
    if isinstance(left, float) or isinstance(right, float):
        return left / right
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def remainder(left: Any, right: Any) -> Any:
    return left - right * divide(left, right)


def _fits(value: Any) -> Any:
    if isinstance(value, int) and not INT_MIN <= value <= INT_MAX:
        raise CelError("integer overflow")
    return value


def contains(item: Any, holder: Any) -> bool:
    if isinstance(holder, dict):
        return item in holder
    if isinstance(holder, list):
        return any(equal(item, each) for each in holder)
    raise CelError("no such overload: in")


def index(holder: Any, key: Any) -> Any:
    try:
        if isinstance(holder, dict):
            return holder[key]
        if isinstance(holder, list) and isinstance(key, int) and key >= 0:
            return holder[key]
    except (KeyError, IndexError, TypeError) as error:
        raise CelError(f"no such key: {key}") from error
    raise CelError(f"no such key: {key}")


def size(value: Any) -> int:
    if isinstance(value, str | list | dict):
        return len(value)
    raise CelError("no such overload: size")


def _int(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        raise CelError("type conversion error to int") from error


def _double(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise CelError("type conversion error to double") from error


def _string(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise CelError("type conversion error to string")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise CelError("no such overload: a string is needed")
    return value


def _matches(text: Any, pattern: Any) -> bool:
    try:
        return pattern_of(_text(pattern)).matches(_text(text))
    except BadPattern as error:
        raise CelError(f"bad regular expression: {error}") from error


def _substring(text: Any, start: int, end: int | None = None) -> str:
    whole = _text(text)
    end = len(whole) if end is None else end
    if not 0 <= start <= end <= len(whole):
        raise CelError("index out of range")
    return whole[start:end]


def _is_sorted(values: Any) -> bool:
    return all(ordered(lambda a, b: bool(a <= b))(values[i], values[i + 1]) for i in range(len(values) - 1))


Function = Callable[..., Any]

GLOBALS: dict[str, tuple[Function, tuple[int, ...]]] = {
    "size": (size, (1,)),
    "int": (_int, (1,)),
    "double": (_double, (1,)),
    "string": (_string, (1,)),
    "dyn": (lambda value: value, (1,)),
}
"""Global functions and how many arguments they take."""

METHODS: dict[str, tuple[Function, tuple[int, ...]]] = {
    "size": (size, (0,)),
    "startsWith": (lambda text, part: _text(text).startswith(_text(part)), (1,)),
    "endsWith": (lambda text, part: _text(text).endswith(_text(part)), (1,)),
    "contains": (lambda text, part: _text(part) in _text(text), (1,)),
    "matches": (_matches, (1,)),
    "lowerAscii": (lambda text: _text(text).lower(), (0,)),
    "upperAscii": (lambda text: _text(text).upper(), (0,)),
    "trim": (lambda text: _text(text).strip(), (0,)),
    "split": (lambda text, by: _text(text).split(_text(by)) if by else list(_text(text)), (1,)),
    "join": (lambda items, by="": _text(by).join(_text(item) for item in items), (0, 1)),
    "replace": (lambda text, old, new: _text(text).replace(_text(old), _text(new)), (2,)),
    "indexOf": (lambda text, part: _text(text).find(_text(part)), (1,)),
    "substring": (_substring, (1, 2)),
    "min": (lambda items: min(items), (0,)),
    "max": (lambda items: max(items), (0,)),
    "sum": (lambda items: sum(items), (0,)),
    "isSorted": (_is_sorted, (0,)),
}
"""Functions called on a value, and how many arguments they take beside it."""
