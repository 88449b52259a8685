"""Namespace: its own label, its finalizer, its phase."""

from types import MappingProxyType

from cluster.apiserver.errors import FieldError
from cluster.apiserver.fields.sets import LEAF
from cluster.apiserver.kinds.builtin.core import BuiltIn
from cluster.apiserver.kinds.names import namespace_name_errors
from cluster.apiserver.types import Json

NAME_LABEL = "kubernetes.io/metadata.name"
FINALIZER = "kubernetes"
PROTECTED = frozenset({"default", "kube-system", "kube-public"})


class NamespaceStrategy(BuiltIn):
    blank = MappingProxyType({"spec": {}, "status": {}})
    unowned = MappingProxyType({"f:spec": LEAF, "f:status": LEAF})

    def prepare(self, obj: Json, old: Json | None) -> None:
        obj["metadata"].setdefault("labels", {})[NAME_LABEL] = obj["metadata"]["name"]
        if old is None:
            finalizers = obj.setdefault("spec", {}).setdefault("finalizers", [])
            if FINALIZER not in finalizers:
                finalizers.append(FINALIZER)
            obj["status"] = {"phase": "Active"}
        else:
            obj["spec"] = old.get("spec", {})

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        return namespace_name_errors(obj["metadata"]["name"]) if old is None else []

    def mark_deleted(self, obj: Json, holder: str) -> None:
        super().mark_deleted(obj, holder)
        obj.setdefault("status", {})["phase"] = "Terminating"

    def selectable(self, obj: Json, field: str) -> str | None:
        return str((obj.get("status") or {}).get("phase", "")) if field == "status.phase" else None

    @property
    def selectable_fields(self) -> tuple[str, ...]:
        return ("status.phase",)
