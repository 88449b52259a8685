"""What several views share."""

from api.http.shapes import Moment, View
from crds.conditions import find
from crds.kinds import PREFIXES
from crds.models.record import Condition, Record
from crds.names import record_id


class ConditionView(View):
    type: str
    status: str
    reason: str
    message: str
    at: Moment


def conditions_view(conditions: list[Condition]) -> list[ConditionView]:
    return [
        ConditionView(
            type=condition.type,
            status=condition.status,
            reason=condition.reason,
            message=condition.message,
            at=condition.last_transition_time,
        )
        for condition in conditions
    ]


def id_of(record: Record) -> str:
    return record_id(PREFIXES[type(record)], record.uid)


def etag_of(record: Record | None) -> str:
    """Names what can be edited of a record, so that a status that moves on does not make an edit fail."""
    return f'"{record.uid}.{record.metadata.generation}"' if record else '"none"'


def truth(conditions: list[Condition], type_: str) -> bool | None:
    """What a condition says; None when it says nothing."""
    condition = find(conditions, type_)
    return None if condition is None or condition.status == "Unknown" else condition.status == "True"
