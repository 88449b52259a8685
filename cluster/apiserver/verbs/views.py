"""Stored objects in the version that is asked for."""

from collections.abc import Sequence

import orjson

from cluster.apiserver.kinds.model import Resource, Target, Version
from cluster.apiserver.schema.normalize import normalize
from cluster.apiserver.storage.records import Record, encode
from cluster.apiserver.types import Json


def object_in(record: Record, target: Target) -> Json:
    """A fresh decoded object; another version than the stored one is converted by its name alone."""
    obj = record.decode()
    if target.version.name != target.resource.storage_version:
        obj["apiVersion"] = target.api_version
    return obj


def bytes_in(record: Record, resource: Resource, version: Version) -> bytes:
    if version.name == resource.storage_version:
        return record.body
    return encode(object_in(record, Target(resource, version)))


def all_bytes_in(records: Sequence[Record], resource: Resource, version: Version) -> list[bytes]:
    if version.name == resource.storage_version:
        return [record.body for record in records]
    return [bytes_in(record, resource, version) for record in records]


def to_storage(obj: Json, target: Target) -> Json:
    """What another version has beyond the stored one is not kept."""
    resource = target.resource
    if target.version.name != resource.storage_version:
        obj["apiVersion"] = resource.api_version(resource.storage_version)
        normalize(obj, resource.versions[resource.storage_version].schema)
    return obj


def dry_bytes(obj: Json) -> bytes:
    """An object that was not stored has no resource version of its own."""
    metadata = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    return orjson.dumps({**obj, "metadata": metadata})
