"""What may be special about a kind; the base class is what custom resources do."""

# ruff: noqa: ARG002 (a hook is given all that any kind may need)

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cluster.apiserver.errors import FieldError
from cluster.apiserver.fields.sets import EMPTY, FieldSet
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.names import name_errors
from cluster.apiserver.types import Json


class Strategy:
    """Hooks around a write, all pure over the object given."""

    unconditional_update = False
    """A PUT without resourceVersion is accepted."""
    create_on_update = False
    """A PUT of what is not there makes it."""
    returns_deleted = False
    """A deletion is answered with the object, not with a Status."""
    keeps_generation = True
    """metadata.generation counts changes of all but metadata and status."""
    list_items_typed = True
    """Items of a list carry apiVersion and kind."""
    strategic_merge = False
    blank: Mapping[str, Any] = MappingProxyType({})
    """What an object has before anything is set: nobody owns it as it is."""
    unowned: FieldSet = EMPTY
    """What the server sets itself when an object is made."""
    type_errors_are_bad_requests = False
    """A wrong type is a 400 (the real server fails to decode it), not a 422."""
    ratchets = True
    """What was wrong with an object before may stay as it is."""
    status_carries_metadata = False
    """A write to the status subresource sets labels, finalizers and the like, too."""
    precondition_names_plural = False
    """A failed precondition of a deletion is told of the plural, not of the kind."""

    def prepare(self, obj: Json, old: Json | None) -> None:
        """Complete `obj` before validation; `old` is None at a create."""

    def name_errors(self, name: Any) -> list[FieldError]:
        return name_errors(name)

    def check_format(self, obj: Json) -> str:
        """What is wrong with the encoding of a value (400), or ""."""
        return ""

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        """Problems that the schema cannot express."""
        return []

    def validate_status(self, obj: Json, old: Json) -> list[FieldError]:
        """The same of a write to the status subresource."""
        return self.validate(obj, old)

    def mark_deleted(self, obj: Json, holder: str) -> None:
        """Note that the deletion is asked for, perhaps once more; `holder`: the finalizer that it is to wait for, or
        ""."""
        metadata = obj["metadata"]
        if "deletionTimestamp" in metadata:
            return
        if holder and holder not in metadata.get("finalizers", ()):
            metadata["finalizers"] = [*metadata.get("finalizers", ()), holder]
        metadata["deletionTimestamp"] = times.now()
        metadata["deletionGracePeriodSeconds"] = 0
        if "generation" in metadata:
            metadata["generation"] += 1

    def selectable(self, obj: Json, field: str) -> str | None:
        """The value of a field selector's field; None if the field cannot be selected by."""
        return None

    @property
    def selectable_fields(self) -> tuple[str, ...]:
        """Fields beside metadata.name and metadata.namespace that lists can be selected by."""
        return ()
