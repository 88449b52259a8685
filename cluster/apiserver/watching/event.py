"""A committed change as watchers are told of it; what is encoded once serves all of them."""

from collections.abc import Callable

import orjson

from cluster.apiserver.storage.records import Change, EventType, Record, encode
from cluster.apiserver.types import Json

Matcher = Callable[[Record], bool]
Told = tuple[EventType, Record]


class Event:
    """`lines` caches encodings by whatever the encoder finds they depend on."""

    __slots__ = ("change", "left", "lines", "rv")

    def __init__(self, change: Change) -> None:
        self.change = change
        self.rv = change.record.rv
        self.lines: dict[tuple[object, ...], bytes] = {}
        self.left: Record | None = None

    def seen_through(self, matches: Matcher | None) -> Told | None:
        """What a watcher that sees only what `matches` is told, None for nothing."""
        change = self.change
        if matches is None:
            return change.type, change.record
        before = change.previous is not None and matches(change.previous)
        if change.type == "DELETED":
            return ("DELETED", change.record) if before else None
        if matches(change.record):
            return "MODIFIED" if before else "ADDED", change.record
        return ("DELETED", self._as_it_was()) if before else None

    def _as_it_was(self) -> Record:
        """The object that left a selection: as it was before, at this event's version."""
        if self.left is None:
            previous = self.change.previous
            assert previous is not None
            obj = previous.decode()
            obj["metadata"]["resourceVersion"] = str(self.rv)
            self.left = Record(encode(obj), self.rv, obj["metadata"])
        return self.left


def event_line(kind: str, body: bytes) -> bytes:
    return b'{"type":"' + kind.encode() + b'","object":' + body + b"}\n"


def object_line(kind: str, obj: Json) -> bytes:
    return event_line(kind, orjson.dumps(obj))
