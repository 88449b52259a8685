"""The body of a write as a decoded object: JSON, YAML or, for built-in kinds, protobuf."""

import json
from collections.abc import Iterator
from typing import Any

import orjson

from cluster.apiserver.errors import ApiError, bad_request, unsupported_media_type
from cluster.apiserver.http.request import Request
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.protobuf.decode import decode_object
from cluster.apiserver.types import Json

JSON_TYPES = frozenset({"application/json", ""})
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
ACCEPTED = ("application/json", YAML, PROTOBUF)
MAX_DEPTH = 200


class Body:
    """A decoded object and the duplicate keys it was sent with."""

    __slots__ = ("duplicates", "obj")

    def __init__(self, obj: Json, duplicates: list[str]) -> None:
        self.obj = obj
        self.duplicates = duplicates


def read_body(request: Request, target: Target) -> Body:
    """Raises 400 for what cannot be decoded and 415 for what is in no known form."""
    kind = request.content_type
    if kind in JSON_TYPES:
        return read_json(request.body)
    if kind == YAML:
        return Body(_object(parse_yaml(request.body)), [])
    if kind == PROTOBUF and not target.resource.custom:
        return Body(decode_object(request.body), [])
    raise unsupported_media_type(ACCEPTED)


def read_json(raw: bytes) -> Body:
    obj = _object(parse_json(raw))
    if raw.count(b'"') == orjson.dumps(obj).count(b'"'):
        return Body(obj, [])
    return Body(obj, _duplicates(raw))


def parse_json(raw: bytes) -> Any:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise bad_request(f"the object provided is unrecognized: {error}") from error
    _limit_depth(raw)
    return value


def _limit_depth(raw: bytes) -> None:
    """Only what could be deep is looked at closely: the walks over objects are recursive."""
    if raw.count(b"{") + raw.count(b"[") <= MAX_DEPTH:
        return
    depth = deepest = 0
    for byte in raw:
        if byte in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"}]":
            depth -= 1
    if deepest > MAX_DEPTH:
        raise bad_request(f"the object provided is nested more than {MAX_DEPTH} levels deep")


def parse_yaml(raw: bytes) -> Any:
    """JSON as well, being YAML. The YAML library is loaded only when something else comes."""
    try:
        return parse_json(raw)
    except ApiError:
        from cluster.apiserver.http.yaml import load_yaml

        try:
            return load_yaml(raw)
        except ValueError as error:
            raise bad_request(f"error decoding YAML: {error}") from error


def _object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise bad_request("the object provided is unrecognized (must be of type Object)")
    return value


class _Members(list[tuple[str, Any]]):
    """Of an object as it was sent: in order, a name perhaps twice."""


def _duplicates(raw: bytes) -> list[str]:
    """Paths such as spec.ports[0].port, in the order in which they were met."""
    return list(_met_again(json.loads(raw, object_pairs_hook=_Members), ""))


def _met_again(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _Members):
        seen: set[str] = set()
        for name, below in value:
            at = f"{path}.{name}" if path else name
            if name in seen:
                yield at
            seen.add(name)
            yield from _met_again(below, at)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _met_again(item, f"{path}[{index}]")
