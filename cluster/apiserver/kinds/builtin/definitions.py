"""CustomResourceDefinition as an object: what is filled in, what is refused, what its deletion notes."""

# ruff: noqa: ARG002 (a hook is given all that any kind may need)

from types import MappingProxyType
from typing import Any

from cluster.apiserver.errors import FieldError
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.accepted_names import NONE
from cluster.apiserver.kinds.builtin.conditions import deletion_pending, is_true, set_condition
from cluster.apiserver.kinds.builtin.core import BuiltIn
from cluster.apiserver.kinds.builtin.json_schema import drop_empty
from cluster.apiserver.kinds.definition import (
    approval_errors,
    change_errors,
    definition_errors,
    new_errors,
    stored_errors,
)
from cluster.apiserver.kinds.definition_names import names_errors
from cluster.apiserver.types import Json

CLEANUP = "customresourcecleanup.apiextensions.k8s.io"


class DefinitionStrategy(BuiltIn):
    unconditional_update = False
    keeps_generation = True
    ratchets = False
    status_carries_metadata = True
    precondition_names_plural = True
    blank = MappingProxyType(
        {
            "spec": {"group": "", "names": NONE, "scope": "", "versions": None},
            "status": {"acceptedNames": NONE, "conditions": None, "storedVersions": None},
        }
    )

    def prepare(self, obj: Json, old: Json | None) -> None:
        spec = obj.get("spec")
        if isinstance(spec, dict):
            _fill_names(spec.setdefault("names", {}))
            for version in spec.get("versions") or []:
                _tidy_version(version)
            if not spec.get("preserveUnknownFields"):
                spec.pop("preserveUnknownFields", None)
        if old is None:
            obj["status"] = {}
        _fill_status(obj)

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        errors = definition_errors(obj) + stored_errors(obj)
        if old is None:
            return errors + new_errors(obj) + approval_errors(obj)
        before = approval_errors(old)
        unapproved = [error for error in approval_errors(obj) if error not in before]
        return errors + change_errors(obj, old, is_true(old, "Established")) + unapproved

    def validate_status(self, obj: Json, old: Json) -> list[FieldError]:
        return names_errors(obj["status"]["acceptedNames"], "status.acceptedNames")

    def mark_deleted(self, obj: Json, holder: str) -> None:
        """The first time for its objects to go first, whatever was asked for; from then on as any other object."""
        metadata = obj["metadata"]
        if "deletionTimestamp" in metadata:
            metadata["deletionGracePeriodSeconds"] = 0
            return
        metadata["deletionTimestamp"] = times.now()
        if CLEANUP not in metadata.get("finalizers", ()):
            metadata["finalizers"] = [*metadata.get("finalizers", ()), CLEANUP]
        set_condition(obj["status"], deletion_pending())


def _fill_names(names: Json) -> None:
    kind = names.get("kind")
    if kind:
        names["singular"] = names.get("singular") or kind.lower()
        names["listKind"] = names.get("listKind") or kind + "List"
    _drop(names, "shortNames", "categories", "singular", "listKind")


def _tidy_version(version: Json) -> None:
    version.setdefault("served", False)
    version.setdefault("storage", False)
    _drop(version, "deprecated", "additionalPrinterColumns", "selectableFields")
    for column in version.get("additionalPrinterColumns") or []:
        _drop(column, "format", "description", "priority")
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if isinstance(schema, dict):
        drop_empty(schema)


def _fill_status(obj: Json) -> None:
    """What is always there; that objects are stored in the storage version is noted before the first one is."""
    status = obj.get("status") or {}
    for held in status.get("conditions") or []:
        _drop(held, "reason", "message")
    stored = list(status.get("storedVersions") or [])
    storage = [v.get("name", "") for v in (obj.get("spec") or {}).get("versions") or [] if v.get("storage")]
    stored += [name for name in storage[:1] if name not in stored]
    filled: dict[str, Any] = {
        "conditions": status.get("conditions"),
        "acceptedNames": {**NONE, **(status.get("acceptedNames") or {})},
        "storedVersions": stored,
    }
    obj["status"] = filled


def _drop(holder: Json, *names: str) -> None:
    """Fields that are left out where they are empty."""
    for name in names:
        if name in holder and not holder[name]:
            del holder[name]
