"""One wrapper around every reconciler: fetch, run, turn errors into conditions, patch the status once."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from controller.engine.context import Context
from controller.engine.errors import NotYet, Terminal
from crds.client.changes import any_change
from crds.client.errors import ApiError, Conflict, NotFound
from crds.conditions import READY, RECONCILING, with_condition, without_condition
from crds.merge import merge_patch
from crds.models.record import Record, Status

_log = logging.getLogger(__name__)
_SLOW_TIMER = 600.0

Key = tuple[str, str, str]
"""(kind, namespace, name)"""

Reconcile = Callable[[Context, Any, Any], Awaitable[float | None]]
"""`await reconcile(context, record, status)`: sets fields of `status` (a copy), answers when to look again."""


@dataclass(frozen=True)
class Watch:
    """A change of `model` concerns these records of ours: (namespace, name) each. `when` leaves out changes that
    cannot matter, so that a busy kind does not keep another one busy."""

    model: type[Record]
    concerns: Callable[[Context, Any], Iterable[tuple[str, str]]]
    when: Callable[[Any, Any], bool] = any_change


@dataclass(frozen=True)
class Reconciler:
    """A row of the table: the kind, its function, what else wakes it, and which of its records are ours."""

    model: type[Record]
    reconcile: Reconcile
    watches: list[Watch] = field(default_factory=list)
    ours: Callable[[Context, Any], bool] = lambda _context, _record: True


async def run_once(context: Context, reconciler: Reconciler, namespace: str, name: str) -> float | None:
    """Bring one record nearer to its spec. Raises ApiError when the API server refused or is away (try again)."""
    record: Any = context.cache.get(reconciler.model, namespace, name)
    if record is None or not reconciler.ours(context, record):
        return None
    # Reconcilers set fields of it; what is below a field is replaced, never changed in place.
    status: Any = record.status.model_copy()
    again: float | None = None
    try:
        again = await reconciler.reconcile(context, record, status)
        _settle(status, record, context.now())
    except NotYet as wait:
        again = wait.again_in
        _report(status, record, context.now(), wait.reason, wait.message, working=True)
    except Terminal as end:
        _report(status, record, context.now(), end.reason, end.message, working=False)
    except ApiError as error:
        _report(status, record, context.now(), "ApiError", error.message, working=True)
        raise
    finally:
        # On every way out: what is known is said. The record may have moved on meanwhile; then its event comes.
        await _publish(context, reconciler, record, status)
    return again if again is not None else _SLOW_TIMER


def _settle(status: Status, record: Record, now: datetime) -> None:
    status.observed_generation = record.metadata.generation
    status.conditions = without_condition(status.conditions, RECONCILING)
    if not any(condition.type == READY for condition in status.conditions):
        _set(status, record, now, READY, "True", "Reconciled", "")


def _report(status: Status, record: Record, now: datetime, reason: str, message: str, *, working: bool) -> None:
    status.observed_generation = record.metadata.generation
    _set(status, record, now, READY, "False", reason, message)
    if working:
        _set(status, record, now, RECONCILING, "True", reason, message)
    else:
        status.conditions = without_condition(status.conditions, RECONCILING)


def _set(status: Status, record: Record, now: datetime, type_: str, truth: Any, reason: str, message: str) -> None:
    status.conditions = with_condition(
        status.conditions,
        type_,
        truth,
        reason=reason,
        message=message[:1000],
        now=now,
        generation=record.metadata.generation,
    )


async def _publish(context: Context, reconciler: Reconciler, record: Any, status: Status) -> None:
    patch = merge_patch(record.status.wire(), status.wire())
    if not patch:
        return
    current: Any = context.cache.get(reconciler.model, record.namespace, record.name)
    if current is None or current.uid != record.uid:
        return
    try:
        answer = await context.client.patch_status(current, patch)
    except NotFound:
        return
    except Conflict:
        _log.debug("%s %s/%s moved on; its event wakes us again", record.kind, record.namespace, record.name)
        raise
    context.cache.store(reconciler.model).upsert(answer)
