"""CustomResourceDefinition as an object: what is filled in, what is refused, what its status says."""

from cluster.apiserver.errors import FieldError, field_invalid
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.builtin.core import BuiltIn
from cluster.apiserver.kinds.definition import definition_errors
from cluster.apiserver.types import Json

CLEANUP = "customresourcecleanup.apiextensions.k8s.io"


class DefinitionStrategy(BuiltIn):
    unconditional_update = False
    keeps_generation = True
    strategic_merge = True

    def prepare(self, obj: Json, old: Json | None) -> None:
        spec = obj.get("spec") or {}
        names = spec.get("names")
        if isinstance(names, dict) and names.get("kind"):
            names["singular"] = names.get("singular") or names["kind"].lower()
            names["listKind"] = names.get("listKind") or names["kind"] + "List"
        if old is None:
            stored = [v["name"] for v in spec.get("versions") or [] if v.get("storage") and v.get("name")]
            accepted = {"plural": "", "kind": ""}
            obj["status"] = {"conditions": [], "acceptedNames": accepted, "storedVersions": stored}
            finalizers = obj["metadata"].setdefault("finalizers", [])
            if CLEANUP not in finalizers:
                finalizers.append(CLEANUP)

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        errors = definition_errors(obj)
        if old is not None and obj.get("spec") and old.get("spec"):
            for name in ("group", "scope"):
                if obj["spec"].get(name) != old["spec"].get(name):
                    errors.append(field_invalid(f"spec.{name}", obj["spec"].get(name), "field is immutable"))
            plural, before = obj["spec"]["names"].get("plural"), old["spec"]["names"].get("plural")
            if plural != before:
                errors.append(field_invalid("spec.names.plural", plural, "field is immutable"))
        return errors


def condition(kind: str, status: str, reason: str, message: str) -> Json:
    return {
        "type": kind,
        "status": status,
        "lastTransitionTime": times.now(),
        "reason": reason,
        "message": message,
    }


def set_condition(status: Json, wanted: Json) -> None:
    """Put `wanted` in; its transition time stays if its status does."""
    conditions = status.setdefault("conditions", [])
    for index, existing in enumerate(conditions):
        if existing["type"] == wanted["type"]:
            if existing["status"] == wanted["status"]:
                wanted["lastTransitionTime"] = existing["lastTransitionTime"]
            conditions[index] = wanted
            return
    conditions.append(wanted)


def accepted() -> list[Json]:
    return [
        condition("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
        condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted"),
    ]


def refused(problem: str, reason: str) -> list[Json]:
    return [
        condition("NamesAccepted", "False", reason, problem),
        condition("Established", "False", "NotAccepted", "not all names are accepted"),
    ]


def terminating() -> Json:
    return condition("Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
