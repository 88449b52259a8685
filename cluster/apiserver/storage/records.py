"""An object as the server holds it: encoded JSON with the few indexed fields beside it."""

from collections.abc import Mapping
from typing import Literal

import orjson

from cluster.apiserver.types import Json, Key

EventType = Literal["ADDED", "MODIFIED", "DELETED"]

NO_LABELS: Mapping[str, str] = {}


class Record:
    """One version of one object. Immutable by agreement: a change makes a new one."""

    __slots__ = ("body", "deleting", "labels", "name", "namespace", "owners", "rv", "uid")

    def __init__(self, body: bytes, rv: int, metadata: Json) -> None:
        self.body = body
        self.rv = rv
        self.namespace: str = metadata.get("namespace", "")
        self.name: str = metadata["name"]
        self.uid: str = metadata.get("uid", "")
        self.labels: Mapping[str, str] = metadata.get("labels") or NO_LABELS
        self.owners: tuple[str, ...] = tuple(ref["uid"] for ref in metadata.get("ownerReferences") or ())
        self.deleting = "deletionTimestamp" in metadata

    @property
    def key(self) -> Key:
        return (self.namespace, self.name)

    def decode(self) -> Json:
        """A fresh object that the caller may change."""
        decoded: Json = orjson.loads(self.body)
        return decoded


class Change:
    """One write on its way to the log, and the event it becomes once it is committed."""

    __slots__ = ("previous", "record", "resource", "type")

    def __init__(self, kind: EventType, resource: str, record: Record, previous: Record | None) -> None:
        self.type = kind
        self.resource = resource
        self.record = record
        self.previous = previous


def encode(obj: Json) -> bytes:
    """JSON with apiVersion, kind and metadata first, which lets views cut the prefix off."""
    head = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": obj["metadata"]}
    # Copied, because what orjson returns keeps the eight kilobytes that it was written into.
    return bytes(memoryview(orjson.dumps({**head, **obj})))


def record_of(obj: Json, rv: int) -> Record:
    """Stamp the resource version into `obj` and encode it."""
    obj["metadata"]["resourceVersion"] = str(rv)
    return Record(encode(obj), rv, obj["metadata"])


def load_record(body: bytes, rv: int) -> Record:
    return Record(body, rv, orjson.loads(body)["metadata"])
