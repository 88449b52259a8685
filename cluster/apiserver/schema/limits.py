"""The value checks of a schema: ranges, lengths, enums, patterns, formats, and the validating branches."""

from collections.abc import Callable
from typing import Any

from cluster.apiserver.errors import (
    FieldError,
    field_invalid,
    field_too_long,
    field_too_many,
    field_type,
    field_unsupported,
)
from cluster.apiserver.schema.formats import CHECKS, INTEGER_RANGES
from cluster.apiserver.schema.node import Limits, Node

Validator = Callable[[Any, Node, str], list[FieldError]]


def check_limits(value: Any, limits: Limits, path: str, errors: list[FieldError], validate: Validator) -> None:
    kind = type(value)
    if limits.enum is not None and not any(value == item and kind is type(item) for item in limits.enum):
        errors.append(field_unsupported(path, value, limits.enum))
    if kind is str:
        _string(value, limits, path, errors)
    elif kind is int or kind is float:
        _number(value, limits, path, errors)
    elif kind is list:
        _count(value, limits.min_items, limits.max_items, "items", path, errors)
    elif kind is dict:
        _count(value, limits.min_properties, limits.max_properties, "properties", path, errors)
    if limits.branched:
        _branches(value, limits, path, errors, validate)


def _string(value: str, limits: Limits, path: str, errors: list[FieldError]) -> None:
    if limits.min_length is not None and len(value) < limits.min_length:
        errors.append(field_invalid(path, value, f"{path} in body should be at least {limits.min_length} chars long"))
    if limits.max_length is not None and len(value) > limits.max_length:
        errors.append(field_too_long(path, f"may not be more than {limits.max_length} bytes"))
    if limits.pattern is not None and not limits.pattern.matches(value):
        errors.append(field_invalid(path, value, f"{path} in body should match '{limits.pattern.text}'"))
    check = CHECKS.get(limits.format)
    if check is not None and not check(value):
        shown = f'{path} in body must be of type {limits.format}: "{value}"'
        errors.append(field_type(path, value, shown))


def _number(value: float, limits: Limits, path: str, errors: list[FieldError]) -> None:
    low, high = limits.minimum, limits.maximum
    if low is not None and (value <= low if limits.exclusive_min else value < low):
        bound = "greater than" if limits.exclusive_min else "greater than or equal to"
        errors.append(field_invalid(path, value, f"{path} in body should be {bound} {low}"))
    if high is not None and (value >= high if limits.exclusive_max else value > high):
        bound = "less than" if limits.exclusive_max else "less than or equal to"
        errors.append(field_invalid(path, value, f"{path} in body should be {bound} {high}"))
    if limits.multiple_of is not None and value % limits.multiple_of:
        errors.append(field_invalid(path, value, f"{path} in body should be a multiple of {limits.multiple_of}"))
    fits = INTEGER_RANGES.get(limits.format)
    if fits is not None and not fits[0] <= value <= fits[1]:
        # The real server names no field here.
        told = f"Checked value must be of type integer with format {limits.format} in {path}"
        errors.append(field_invalid("<nil>", "", told))


def _count(value: Any, least: int | None, most: int | None, things: str, path: str, errors: list[FieldError]) -> None:
    if least is not None and len(value) < least:
        errors.append(field_invalid(path, value, f"{path} in body should have at least {least} {things}"))
    if most is not None and len(value) > most:
        errors.append(field_too_many(path, len(value), most))


def _branches(value: Any, limits: Limits, path: str, errors: list[FieldError], validate: Validator) -> None:
    for branch in limits.all_of:
        errors.extend(validate(value, branch, path))
    if limits.any_of and all(validate(value, branch, path) for branch in limits.any_of):
        errors.append(field_invalid(path, value, f"{path} in body must validate at least one schema (anyOf)"))
    if limits.one_of and sum(not validate(value, branch, path) for branch in limits.one_of) != 1:
        errors.append(field_invalid(path, value, f"{path} in body must validate one and only one schema (oneOf)"))
    if limits.none_of is not None and not validate(value, limits.none_of, path):
        errors.append(field_invalid(path, value, f"{path} in body must not validate the schema (not)"))
