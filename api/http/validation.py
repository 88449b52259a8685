"""JSON bodies and query strings into models; what does not fit becomes a Problem with pointers. Pure."""

from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import orjson
from pydantic import BaseModel, ValidationError

from api.problems import Fault, Problem, invalid

M = TypeVar("M", bound=BaseModel)
_MOST_FAULTS = 20


def parse_body(raw: bytes, model: type[M]) -> M:
    """400 for what is no JSON, 422 for what does not fit. No body stands for `{}` where nothing is required."""
    if not raw.strip():
        if any(field.is_required() for field in model.model_fields.values()):
            raise Problem("malformed", "This request needs a JSON object as its body.")
        raw = b"{}"
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Problem(
            "malformed", f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from None
    if not isinstance(value, dict):
        raise invalid("", "The body must be a JSON object.")
    return _fit(value, model, "/")


def parse_query(query: bytes, model: type[M]) -> M:
    values: dict[str, str] = {}
    known = {info.alias or name for name, info in model.model_fields.items()}
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise invalid("?", "The query string is not percent-encoded UTF-8 with at most 100 parameters.") from None
    for name, value in pairs:
        if name in known and name in values:
            raise invalid(f"?{name}", "is given twice")
        values[name] = value
    return _fit(values, model, "?")


def _fit(value: Mapping[str, Any], model: type[M], root: str) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = [
            Fault(pointer(root, fault["loc"]), _sentence(fault["type"], fault["msg"]))
            for fault in error.errors(include_url=False, include_context=False, include_input=False)[:_MOST_FAULTS]
        ]
    detail = "; ".join(f"{fault.pointer or 'the body'}: {fault.detail}" for fault in faults[:3])
    raise Problem("invalid", detail, faults=faults)


def pointer(root: str, location: tuple[int | str, ...]) -> str:
    """A JSON pointer (RFC 6901), or `?name` for a query parameter."""
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in location if part != "[key]"]
    return root + "/".join(parts) if parts else ""


def _sentence(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "is not a field of this request"
    if kind == "missing":
        return "is required"
    return message.removeprefix("Value error, ")
