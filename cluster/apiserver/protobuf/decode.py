"""An object in Kubernetes' protobuf envelope to its JSON form."""

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from cluster.apiserver.errors import bad_request, unsupported_media_type
from cluster.apiserver.protobuf.messages import KINDS, MESSAGES, Message
from cluster.apiserver.protobuf.wire import fields, signed
from cluster.apiserver.types import Json

MAGIC = b"k8s\x00"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_DEPTH = 16
NUMBERS = ("int", "bool")


def decode_object(data: bytes) -> Json:
    """Raises 400 for what is malformed and 415 for a kind that is only taken as JSON."""
    if data[:4] != MAGIC:
        raise bad_request("the protobuf body lacks its prefix")
    type_meta, raw = b"", b""
    for number, value in fields(data[4:]):
        if number == 1 and isinstance(value, bytes):
            type_meta = value
        elif number == 2 and isinstance(value, bytes):
            raw = value
    named = {number: value for number, value in fields(type_meta) if isinstance(value, bytes)}
    api_version, kind = _text(named.get(1, b"")), _text(named.get(2, b""))
    if kind not in KINDS:
        raise unsupported_media_type(("application/json", "application/yaml"))
    return {"apiVersion": api_version, "kind": kind, **_message(raw, KINDS[kind], 0)}


def _message(data: bytes, table: Message, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise bad_request("the protobuf body is nested too deeply")
    out: Json = {}
    for number, value in fields(data):
        spec = table.get(number)
        if spec is None:
            continue
        read = _value(value, spec.kind, depth)
        if spec.kind in ("map", "bytesmap"):
            out.setdefault(spec.name, {}).update(read)
        elif spec.repeated:
            out.setdefault(spec.name, []).append(read)
        elif read is not None and not (read == "" and spec.kind == "string"):
            out[spec.name] = read
    return out


def _value(value: int | bytes, kind: str, depth: int) -> Any:
    if isinstance(value, int) != (kind in NUMBERS):
        raise bad_request("a field of the protobuf body has the wrong wire type")
    if isinstance(value, int):
        return bool(value) if kind == "bool" else signed(value)
    if kind == "string":
        return _text(value)
    if kind == "raw":
        return _json(value)
    if kind in ("time", "micro"):
        return _time(value, kind == "micro")
    if kind in ("map", "bytesmap"):
        return _pair(value, kind)
    message = _message(value, MESSAGES[kind], depth + 1) if kind in MESSAGES else None
    return message.get("raw", {}) if kind == "FieldsV1" and message is not None else message


def _pair(data: bytes, kind: str) -> dict[str, str]:
    parts = {number: value for number, value in fields(data) if isinstance(value, bytes)}
    value = parts.get(2, b"")
    return {_text(parts.get(1, b"")): base64.b64encode(value).decode() if kind == "bytesmap" else _text(value)}


def _time(data: bytes, micro: bool) -> str | None:
    parts = {number: value for number, value in fields(data) if isinstance(value, int)}
    if not parts:
        return None
    try:
        moment = EPOCH + timedelta(seconds=signed(parts.get(1, 0)), microseconds=parts.get(2, 0) // 1000)
    except OverflowError as error:
        raise bad_request("a time is out of range") from error
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if micro else "%Y-%m-%dT%H:%M:%SZ")


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise bad_request("a string of the protobuf body is not UTF-8") from error


def _json(value: bytes) -> Any:
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError as error:
        raise bad_request("an embedded document of the protobuf body is not JSON") from error
