"""The one way in which the API writes records."""

import asyncio
import random
from collections.abc import Callable
from typing import Any, TypeVar

from api.problems import Problem, conflict, invalid, not_found, unavailable
from api.records import ownership
from api.records.ownership import AUTOSCALERS, GIT, Json
from crds.client.client import Client
from crds.client.errors import ApiError, Conflict, Forbidden, Invalid, NotFound, Unavailable
from crds.client.store import Store
from crds.models.record import Record

R = TypeVar("R", bound=Record)
Check = Callable[[Any], None]
"""Looks at the record that an edit is about to go on, and raises when it may not (a precondition)."""

# A record that was just made is written a few times by the loop (status, finalizer): that is no reason to refuse.
_TRIES = 8
_PAUSE_SECONDS = 0.01


def _allow(_record: Any) -> None:
    return


class Editor:
    """Writes as `setpoint-api`, and puts each answer into the cache."""

    def __init__(self, client: Client):
        self.client = client

    async def create(self, store: Store[R], record: R) -> R:
        """Raises `AlreadyExists` for the caller to judge; all else is a Problem."""
        made = await self.client.create(record)
        store.upsert(made)
        return made

    async def edit(self, store: Store[R], record: R, edit: Json, *, check: Check = _allow) -> R:
        """Lay `edit` (a part of the body: metadata.annotations, spec) over what the API owns of the record.

        Others' fields stay theirs, but for the edited ones, which become the API's; git's and an autoscaler's are
        refused (409). Nothing is written when the record says so already."""
        for number in range(_TRIES):
            check(record)
            body = record.wire()
            changed = [path for path, value in ownership.leaves(edit) if ownership.value_at(body, path) != value]
            if not changed:
                return record
            refuse_others_fields(record, changed)
            try:
                return await self._apply(store, record, ownership.merged(ownership.owned_by(body, ownership.API), edit))
            except Conflict:
                await asyncio.sleep(_PAUSE_SECONDS * number * random.uniform(0.5, 1.5))
                record = await self.fresh(store, record)
        raise conflict("It is being changed by somebody else at this moment. Try again.")

    async def _apply(self, store: Store[R], record: R, body: Json) -> R:
        meta = {
            **body.get("metadata", {}),
            "name": record.name,
            "resourceVersion": record.metadata.resource_version,
        }
        if record.namespace:
            meta["namespace"] = record.namespace
        written = await self.client.apply(type(record), {**body, "metadata": meta}, force=True)
        store.upsert(written)
        return written

    async def fresh(self, store: Store[R], record: R) -> R:
        """The record as the API server has it now; 404 when it went, or another took its name."""
        now = await self.client.get(type(record), record.name, record.metadata.namespace)
        if now.uid != record.uid:
            raise not_found()
        store.upsert(now)
        return now

    async def delete(self, store: Store[R], record: R) -> R | None:
        """What is left of it while finalizers run; None when it is gone."""
        try:
            await self.client.delete(type(record), record.name, record.metadata.namespace, uid=record.uid)
            left = await self.client.get(type(record), record.name, record.metadata.namespace)
        except NotFound:
            left = None
        if left is None or left.uid != record.uid:
            store.remove(record)
            return None
        store.upsert(left)
        return left


def refuse_others_fields(record: Record, paths: list[ownership.Path]) -> None:
    for path in paths:
        owners = ownership.managers_of(record.metadata.managed_fields, path)
        field = ".".join(path)
        if any(owner == GIT or owner.startswith(f"{GIT}-") for owner in owners):
            raise Problem(
                "managed_by_git",
                f"The field {field} is declared in git ({_origin(record)}). Change it there.",
            )
        if owners & AUTOSCALERS:
            raise conflict(f"The field {field} is set by an autoscaler. Remove the autoscaler first.")


def _origin(record: Record) -> str:
    """Source, commit and file, as the git sync notes them on what it applies."""
    notes = record.metadata.annotations
    known = [notes.get(f"setpoint.dev/{word}") for word in ("source", "source-commit", "source-file")]
    return ", ".join(word for word in known if word) or "the source is not noted on the record"


def refusal(error: ApiError) -> Problem:
    """What an error of the state store means to the caller of the API."""
    if isinstance(error, NotFound):
        return not_found()
    if isinstance(error, Conflict):
        return conflict("It was changed by somebody else at this moment. Try again.")
    if isinstance(error, Invalid):
        # Not the server's message: it may quote values.
        fields = ", ".join(str(cause.get("field")) for cause in error.causes[:5]) or "a field"
        return invalid("", f"The state store does not take the record that this would make: {fields} is not valid.")
    if isinstance(error, Unavailable | Forbidden):
        return unavailable("The state store does not take the request right now. Try again shortly.")
    return unavailable("The state store gave an answer that was not expected. Try again shortly.")
