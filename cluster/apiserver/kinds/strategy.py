"""What may be special about a kind; the base class is what custom resources do."""

# ruff: noqa: ARG002 (a hook is given all that any kind may need)

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cluster.apiserver.errors import FieldError
from cluster.apiserver.fields.sets import EMPTY, FieldSet
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

    def warnings(self, obj: Json) -> list[str]:
        return []

    def selectable(self, obj: Json, field: str) -> str | None:
        """The value of a field selector's field; None if the field cannot be selected by."""
        return None

    @property
    def selectable_fields(self) -> tuple[str, ...]:
        """Fields beside metadata.name and metadata.namespace that lists can be selected by."""
        return ()
