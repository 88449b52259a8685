"""Conditions in the Kubernetes convention: pure, keeping the time of the last transition."""

from datetime import datetime
from typing import Literal

from crds.models.record import Condition

READY = "Ready"
RECONCILING = "Reconciling"
SCHEDULABLE = "Schedulable"

Truth = Literal["True", "False", "Unknown"]


def find(conditions: list[Condition], type_: str) -> Condition | None:
    return next((condition for condition in conditions if condition.type == type_), None)


def is_true(conditions: list[Condition], type_: str) -> bool:
    condition = find(conditions, type_)
    return condition is not None and condition.status == "True"


def with_condition(
    conditions: list[Condition],
    type_: str,
    status: Truth,
    *,
    reason: str,
    message: str = "",
    now: datetime,
    generation: int = 0,
) -> list[Condition]:
    """A new list, sorted by type, in which `type_` says this; its time moves only when its status does."""
    old = find(conditions, type_)
    since = old.last_transition_time if old and old.status == status else now
    new = Condition(
        type=type_,
        status=status,
        reason=reason,
        message=message,
        last_transition_time=since,
        observed_generation=generation,
    )
    return sorted([c for c in conditions if c.type != type_] + [new], key=lambda c: c.type)


def without_condition(conditions: list[Condition], type_: str) -> list[Condition]:
    return [condition for condition in conditions if condition.type != type_]
