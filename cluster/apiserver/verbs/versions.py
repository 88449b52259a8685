"""resourceVersion and continue: which moment a read is about."""

import asyncio
import base64
import binascii
from dataclasses import dataclass
from typing import Any

import orjson

from cluster.apiserver.errors import (
    FieldError,
    bad_request,
    field_forbidden,
    field_invalid,
    field_unsupported,
    invalid_options,
    too_large_resource_version,
)
from cluster.apiserver.http.request import Request
from cluster.apiserver.storage.store import Store
from cluster.apiserver.types import Key

MATCHES = ("Exact", "NotOlderThan")
PATIENCE_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Page:
    """Where a list goes on: the version of its first page, and the last key that was given out."""

    version: int
    after: Key | None


def parse_version(text: str) -> int:
    """0 for none. Raises 400 for what is not a version."""
    if not text:
        return 0
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        raise bad_request(f"Invalid value: {text!r}: resourceVersion: invalid syntax")
    return int(text)


def match_errors(request: Request) -> list[FieldError]:
    query = request.query
    match = query.get("resourceVersionMatch", "")
    if not match:
        return []
    unknown = [] if match in MATCHES else [field_unsupported("resourceVersionMatch", match, MATCHES)]
    version = query.get("resourceVersion", "")
    if not version and not request.flag("sendInitialEvents"):
        message = "resourceVersionMatch is forbidden unless resourceVersion is provided"
        return [field_forbidden("resourceVersionMatch", message), *unknown]
    if match == "Exact" and version == "0":
        message = 'resourceVersionMatch "Exact" is forbidden for resourceVersion "0"'
        return [field_forbidden("resourceVersionMatch", message)]
    return unknown


async def page_of(request: Request, store: Store) -> Page:
    """The moment a list is about. Raises 400, 422 or, after a while, the 504 of a version that is yet to come."""
    query = request.query
    errors = match_errors(request)
    limit = query.get("limit", "0") or "0"
    if not limit.lstrip("-").isdigit():
        raise bad_request(f"limit must be a number, not {limit!r}")
    if int(limit) < 0:
        errors.append(field_invalid("limit", int(limit), "must be greater than or equal to 0"))
    if errors:
        raise invalid_options("ListOptions", errors)
    token = query.get("continue", "")
    if token:
        if query.get("resourceVersion", "") not in ("", "0"):
            raise bad_request("specifying resource version is not allowed when using continue")
        return _read_token(token)
    version = parse_version(query.get("resourceVersion", ""))
    await reach(store, version)
    exact = query.get("resourceVersionMatch") == "Exact"
    return Page(version if exact else store.version, None)


async def reach(store: Store, version: int) -> None:
    """Wait a little for `version` to be there."""
    if version <= store.version:
        return
    deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    while store.version < version:
        if asyncio.get_running_loop().time() > deadline:
            raise too_large_resource_version(version, store.version)
        await asyncio.sleep(0.05)


def continue_token(version: int, after: Key) -> str:
    raw = orjson.dumps({"v": "meta.k8s.io/v1", "rv": version, "after": after})
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _read_token(token: str) -> Page:
    try:
        raw: Any = orjson.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        namespace, name = raw["after"]
        if not (isinstance(namespace, str) and isinstance(name, str) and type(raw["rv"]) is int and raw["rv"] > 0):
            raise ValueError(token)
    except (binascii.Error, ValueError, KeyError, TypeError) as error:
        raise bad_request("continue key is not valid: it must be the one that the last page gave") from error
    return Page(raw["rv"], (namespace, name))
