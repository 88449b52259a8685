"""Cells of built-in kinds that no path leads to."""

from collections.abc import Callable
from typing import Any

from cluster.apiserver.access.rbac import BINDINGS
from cluster.apiserver.kinds import times
from cluster.apiserver.types import Json


def _data_count(obj: Json) -> int:
    return len(obj.get("data") or {}) + len(obj.get("binaryData") or {})


def _event_object(obj: Json) -> str:
    involved = obj.get("involvedObject") or {}
    return f"{str(involved.get('kind', '')).lower()}/{involved.get('name', '')}"


def _event_source(obj: Json) -> str:
    source = obj.get("source") or {}
    parts = [source.get("component") or obj.get("reportingComponent") or "", source.get("host") or ""]
    return ", ".join(part for part in parts if part)


def _first_seen(obj: Json) -> str:
    moment = obj.get("firstTimestamp") or obj.get("eventTime")
    return times.age(moment) if moment else "<unknown>"


def _last_seen(obj: Json) -> str:
    series = obj.get("series") or {}
    moment = series.get("lastObservedTime") or obj.get("lastTimestamp") or obj.get("eventTime")
    return times.age(moment) if moment else _first_seen(obj)


def _event_count(obj: Json) -> str:
    series = obj.get("series") or {}
    return str(series.get("count") or obj.get("count") or 1)


def _bound_role(obj: Json) -> str:
    reference = obj.get("roleRef") or {}
    return f"{reference.get('kind', '')}/{reference.get('name', '')}"


def _subjects(kind: str) -> Callable[[Json], str]:
    def told(obj: Json) -> str:
        return ", ".join(_subject(subject) for subject in obj.get("subjects") or () if subject.get("kind") == kind)

    return told


def _subject(subject: Json) -> str:
    name = subject.get("name", "")
    return f"{subject.get('namespace', '')}/{name}" if subject.get("kind") == "ServiceAccount" else name


_BINDING_CELLS: dict[str, Callable[[Json], Any]] = {
    "Role": _bound_role,
    "Users": _subjects("User"),
    "Groups": _subjects("Group"),
    "ServiceAccounts": _subjects("ServiceAccount"),
}
BUILT_IN_CELLS: dict[tuple[str, str], Callable[[Json], Any]] = {
    ("secrets", "Data"): _data_count,
    ("configmaps", "Data"): _data_count,
    ("events", "Object"): _event_object,
    ("events", "Source"): _event_source,
    ("events", "First Seen"): _first_seen,
    ("events", "Last Seen"): _last_seen,
    ("events", "Count"): _event_count,
    **{(resource, column): cell for resource in sorted(BINDINGS) for column, cell in _BINDING_CELLS.items()},
}
