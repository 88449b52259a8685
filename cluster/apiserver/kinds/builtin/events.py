"""Event and Lease: records with times in a form of their own."""

# ruff: noqa: ARG002 (a hook is given all that any kind may need)

from types import MappingProxyType
from typing import Any

from cluster.apiserver.errors import FieldError, field_invalid, field_required
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.builtin.core import BuiltIn
from cluster.apiserver.types import Json

EVENT_FIELDS = {
    "involvedObject.kind": ("involvedObject", "kind"),
    "involvedObject.namespace": ("involvedObject", "namespace"),
    "involvedObject.name": ("involvedObject", "name"),
    "involvedObject.uid": ("involvedObject", "uid"),
    "involvedObject.apiVersion": ("involvedObject", "apiVersion"),
    "involvedObject.resourceVersion": ("involvedObject", "resourceVersion"),
    "involvedObject.fieldPath": ("involvedObject", "fieldPath"),
    "reason": ("reason",),
    "reportingComponent": ("reportingComponent",),
    "source": ("source", "component"),
    "type": ("type",),
}


def _normalize_micro(holder: Json, name: str) -> str:
    """Bring a MicroTime into its one form; returns what is wrong with it, or ""."""
    value = holder.get(name)
    if value is None:
        return ""
    try:
        holder[name] = times.micro(value)
    except (ValueError, TypeError):
        return f'parsing time "{value}" of {name}: exactly six decimals are needed'
    return ""


def _first(problems: list[str]) -> str:
    return next((problem for problem in problems if problem), "")


class EventStrategy(BuiltIn):
    create_on_update = True
    blank = MappingProxyType(
        {"involvedObject": {}, "source": {}}
        | dict.fromkeys(("firstTimestamp", "lastTimestamp", "eventTime"))
        | dict.fromkeys(("reportingComponent", "reportingInstance"), "")
    )

    def prepare(self, obj: Json, old: Json | None) -> None:
        for name in ("firstTimestamp", "lastTimestamp", "eventTime"):
            obj.setdefault(name, None)
        obj.setdefault("source", {})
        for name in ("reportingComponent", "reportingInstance"):
            obj.setdefault(name, "")

    def check_format(self, obj: Json) -> str:
        problems = [_normalize_micro(obj, "eventTime"), _normalize_micro(obj.get("series") or {}, "lastObservedTime")]
        for name in ("firstTimestamp", "lastTimestamp"):
            value = obj.get(name)
            if value is None:
                continue
            try:
                obj[name] = times.whole_seconds(value)
            except (ValueError, AttributeError):
                problems.append(f'parsing time "{value}" of {name}')
        return _first(problems)

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        involved: Json = obj.get("involvedObject") or {}
        errors: list[FieldError] = []
        if "involvedObject" not in obj:
            errors.append(field_required("involvedObject"))
        wanted = involved.get("namespace", "") or "default"
        if wanted != obj["metadata"].get("namespace"):
            message = "does not match event.namespace"
            errors.append(field_invalid("involvedObject.namespace", involved.get("namespace", ""), message))
        return errors

    def selectable(self, obj: Json, field: str) -> str | None:
        path = EVENT_FIELDS.get(field)
        if path is None:
            return None
        value: Any = obj
        for name in path:
            value = value.get(name, "") if isinstance(value, dict) else ""
        return str(value)

    @property
    def selectable_fields(self) -> tuple[str, ...]:
        return tuple(EVENT_FIELDS)


class LeaseStrategy(BuiltIn):
    create_on_update = True
    blank = MappingProxyType({"spec": {}})

    def prepare(self, obj: Json, old: Json | None) -> None:
        obj.setdefault("spec", {})

    def check_format(self, obj: Json) -> str:
        spec: Json = obj.get("spec") or {}
        return _first([_normalize_micro(spec, "acquireTime"), _normalize_micro(spec, "renewTime")])

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        spec: Json = obj.get("spec") or {}
        errors: list[FieldError] = []
        seconds = spec.get("leaseDurationSeconds")
        if seconds is not None and seconds <= 0:
            errors.append(field_invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"))
        transitions = spec.get("leaseTransitions")
        if transitions is not None and transitions < 0:
            errors.append(field_invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"))
        return errors
