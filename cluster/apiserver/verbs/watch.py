"""GET with watch: events as they are committed, from any version that the log still has."""

import random
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import orjson

from cluster.apiserver.errors import (
    ApiError,
    FieldError,
    bad_request,
    field_forbidden,
    field_unsupported,
    invalid_options,
)
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Stream
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.output.negotiate import Form
from cluster.apiserver.output.render import include_of, partial
from cluster.apiserver.output.table import table
from cluster.apiserver.storage.database import Row
from cluster.apiserver.storage.records import Change, load_record
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.selectors import Matcher, matcher_of
from cluster.apiserver.verbs.versions import parse_version
from cluster.apiserver.verbs.views import bytes_in
from cluster.apiserver.watching.event import Event, Told, event_line, object_line
from cluster.apiserver.watching.hub import Watcher

BOOKMARK_SECONDS = 50.0
LONGEST_SECONDS = 3600.0
INITIAL_END = {"k8s.io/initial-events-end": "true"}
CHUNK_LINES = 256


@dataclass(frozen=True)
class _Wish:
    """What the client asked for."""

    version: int
    initial: bool
    mark_initial: bool
    bookmarks: bool
    seconds: float
    matches: Matcher | None
    include: str


def watch(context: Context, target: Target, request: Request, form: Form) -> Stream:
    """Subscribes at once, so that no event is between what the store has now and what comes."""
    wish = _wish(target, request, form)
    watcher = context.hub.subscribe(target.resource.id, target.namespace)
    stream = _Lines(context, target, form, wish, watcher)
    return Stream(stream.chunks(), lambda: _leave(context, watcher))


def _leave(context: Context, watcher: Watcher) -> None:
    watcher.close()
    context.hub.unsubscribe(watcher)


def _wish(target: Target, request: Request, form: Form) -> _Wish:
    query = request.query
    version = parse_version(query.get("resourceVersion", ""))
    errors: list[FieldError] = []
    initial = request.flag("sendInitialEvents")
    match = query.get("resourceVersionMatch", "")
    if initial and match != "NotOlderThan":
        message = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        errors.append(field_forbidden("resourceVersionMatch", message))
    elif match and "sendInitialEvents" not in query:
        errors.append(field_forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden for watch"))
    if match and match != "NotOlderThan":
        errors.append(field_unsupported("resourceVersionMatch", match, ["NotOlderThan"]))
    if errors:
        raise invalid_options("ListOptions", errors)
    bookmarks = request.flag("allowWatchBookmarks")
    from_start = version == 0 and query.get("sendInitialEvents", "") not in ("false", "0")
    return _Wish(
        version=version,
        initial=initial or from_start,
        mark_initial=bookmarks and (initial or query.get("resourceVersion") == "0"),
        bookmarks=bookmarks,
        seconds=_seconds(query.get("timeoutSeconds", "")),
        matches=matcher_of(target, query, name=target.name),
        include=include_of(request, form),
    )


def _seconds(text: str) -> float:
    if not text or text == "0":
        return LONGEST_SECONDS / 2 * (1 + random.random())
    if not text.isdigit():
        raise bad_request(f"timeoutSeconds must be a number, not {text!r}")
    return min(float(text), LONGEST_SECONDS)


class _Lines:
    """The stream of one watch."""

    def __init__(self, context: Context, target: Target, form: Form, wish: _Wish, watcher: Watcher) -> None:
        self._store = context.store
        self._target = target
        self._form = form
        self._wish = wish
        self._watcher = watcher
        self._since = context.store.version
        # Taken now: what is committed from here on comes as events.
        table_now = context.store.table(target.resource.id)
        self._first = list(table_now.scan(target.namespace)) if wish.initial else []
        self._deadline = time.monotonic() + wish.seconds
        self._headed = False
        self._cache_key = (target.version.name, form, wish.include)

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            for chunk in self._batched(self._beginning()):
                yield chunk
        except ApiError as error:
            # A 410 is told in the stream: clients take any other answer for a broken server.
            yield object_line("ERROR", error.status())
            return
        async for chunk in self._live():
            yield chunk

    def _beginning(self) -> Iterator[bytes]:
        wish, resource = self._wish, self._target.resource
        if wish.initial:
            for record in self._first:
                if wish.matches is None or wish.matches(record):
                    yield self._line(None, ("ADDED", record))
            self._first.clear()
            if wish.mark_initial:
                yield self._bookmark(self._since, INITIAL_END)
            return
        if wish.version < self._since:
            for row in self._store.events(resource.id, wish.version, self._since):
                if not self._target.namespace or row.namespace == self._target.namespace:
                    yield from self._told(Event(_change(resource.id, row)))

    @staticmethod
    def _batched(lines: Iterator[bytes]) -> Iterator[bytes]:
        batch: list[bytes] = []
        for line in lines:
            batch.append(line)
            if len(batch) == CHUNK_LINES:
                yield b"".join(batch)
                batch = []
        if batch:
            yield b"".join(batch)

    async def _live(self) -> AsyncIterator[bytes]:
        watcher = self._watcher
        bookmark_at = self._next_bookmark()
        while not watcher.closed:
            wait = min(self._deadline, bookmark_at) - time.monotonic()
            events = await watcher.take(max(wait, 0.0))
            lines = [line for event in events if event.rv > self._after() for line in self._told(event)]
            if lines:
                yield b"".join(lines) if len(lines) > 1 else lines[0]
            moment = time.monotonic()
            if moment >= self._deadline:
                return
            if moment >= bookmark_at:
                bookmark_at = self._next_bookmark()
                if self._wish.bookmarks and not watcher.pending:
                    yield self._bookmark(max(self._store.version, self._wish.version))

    def _after(self) -> int:
        """A client that names a version which is yet to come hears nothing up to it."""
        return max(self._since, self._wish.version)

    @staticmethod
    def _next_bookmark() -> float:
        return time.monotonic() + BOOKMARK_SECONDS * (0.9 + 0.1 * random.random())

    def _told(self, event: Event) -> Iterator[bytes]:
        told = event.seen_through(self._wish.matches)
        if told is not None:
            yield self._line(event, told)

    def _line(self, event: Event | None, told: Told) -> bytes:
        if event is None or (self._form.shape == "table" and not self._headed):
            return self._encode(told)
        key = (*self._cache_key, told[0], told[1] is event.change.record)
        line = event.lines.get(key)
        if line is None:
            line = event.lines[key] = self._encode(told)
        return line

    def _encode(self, told: Told) -> bytes:
        kind, record = told
        body = bytes_in(record, self._target.resource, self._target.version)
        if self._form.shape == "object":
            return event_line(kind, body)
        obj: Json = orjson.loads(body)
        if self._form.shape == "metadata":
            return object_line(kind, partial(obj, self._form.version))
        return object_line(kind, self._table(obj))

    def _table(self, obj: Json) -> Json:
        head = {"resourceVersion": obj["metadata"]["resourceVersion"]}
        shown = table([obj], self._target, self._form.version, head, self._wish.include)
        if self._headed:
            shown["columnDefinitions"] = None
        self._headed = True
        return shown

    def _bookmark(self, version: int, annotations: dict[str, str] | None = None) -> bytes:
        metadata: Json = {"resourceVersion": str(version)}
        if annotations:
            metadata["annotations"] = annotations
        if not self._target.resource.custom:
            metadata["creationTimestamp"] = None
        obj: Json = {"kind": self._target.resource.kind, "apiVersion": self._target.api_version, "metadata": metadata}
        if self._form.shape == "metadata":
            obj = partial(obj, self._form.version)
        elif self._form.shape == "table":
            obj = self._bookmark_table(obj)
        return object_line("BOOKMARK", obj)

    def _bookmark_table(self, obj: Json) -> Json:
        shown = table([], self._target, self._form.version, obj["metadata"], self._wish.include)
        shown["rows"] = [{"cells": [], "object": partial(obj, self._form.version)}]
        return shown


def _change(resource: str, row: Row) -> Change:
    previous = load_record(row.previous, row.previous_rv) if row.previous and row.previous_rv else None
    return Change(row.type, resource, load_record(row.body, row.rv), previous)
