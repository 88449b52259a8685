"""The conditions of a definition, as the real server words them."""

from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.accepted_names import Verdict
from cluster.apiserver.types import Json


def condition(kind: str, status: str, reason: str, message: str) -> Json:
    return {"lastTransitionTime": times.now(), "message": message, "reason": reason, "status": status, "type": kind}


def set_condition(status: Json, wanted: Json) -> None:
    """Put `wanted` in; its transition time stays if its status does."""
    conditions = status["conditions"] = status.get("conditions") or []
    for index, existing in enumerate(conditions):
        if existing["type"] == wanted["type"]:
            if existing["status"] == wanted["status"]:
                wanted["lastTransitionTime"] = existing["lastTransitionTime"]
            conditions[index] = wanted
            return
    conditions.append(wanted)


def is_true(definition: Json, kind: str) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or []
    return any(found["type"] == kind and found["status"] == "True" for found in conditions)


def names_accepted(verdict: Verdict) -> Json:
    if verdict.reason:
        return condition("NamesAccepted", "False", verdict.reason, verdict.message)
    return condition("NamesAccepted", "True", "NoConflicts", "no conflicts found")


def not_established(verdict: Verdict) -> Json:
    if verdict.reason:
        return condition("Established", "False", "NotAccepted", "not all names are accepted")
    return condition("Established", "False", "Installing", "the initial names have been accepted")


def established() -> Json:
    return condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted")


def deletion_pending() -> Json:
    told = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
    return condition("Terminating", "True", "InstanceDeletionPending", told)


def deletion_in_progress() -> Json:
    return condition("Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")


def deletion_completed() -> Json:
    return condition("Terminating", "False", "InstanceDeletionCompleted", "removed all instances")


def never_established() -> Json:
    return condition("Terminating", "False", "NeverEstablished", "resource was never established")
