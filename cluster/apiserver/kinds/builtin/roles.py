"""Role, ClusterRole and their bindings: what they must say."""

# ruff: noqa: ARG002 (a hook is given all that any kind may need)

from types import MappingProxyType
from typing import Any

from cluster.apiserver.access.rbac import GROUP
from cluster.apiserver.errors import FieldError, field_forbidden, field_invalid, field_required, field_unsupported
from cluster.apiserver.fields.sets import EMPTY
from cluster.apiserver.kinds.builtin.core import BuiltIn
from cluster.apiserver.kinds.names import name_errors, segment_errors
from cluster.apiserver.types import Json

_OF_RESOURCES = ("apiGroups", "resources", "resourceNames")


class _Right(BuiltIn):
    create_on_update = True

    def name_errors(self, name: Any) -> list[FieldError]:
        return segment_errors(name)


class RoleStrategy(_Right):
    blank = MappingProxyType({"rules": None})
    unowned = EMPTY

    def __init__(self, *, of_namespace: bool) -> None:
        self._of_namespace = of_namespace

    def prepare(self, obj: Json, old: Json | None) -> None:
        obj["rules"] = obj.get("rules") or None

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        errors: list[FieldError] = []
        if obj.get("aggregationRule"):
            errors.append(field_forbidden("aggregationRule", "roles that aggregate others are not offered here"))
        for index, rule in enumerate(obj.get("rules") or ()):
            errors += _rule_errors(rule, f"rules[{index}]", self._of_namespace)
        return errors


def _rule_errors(rule: Json, field: str, of_namespace: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if not rule.get("verbs"):
        errors.append(field_required(f"{field}.verbs", "verbs must contain at least one value"))
    paths = rule.get("nonResourceURLs")
    if paths and of_namespace:
        told = "namespaced rules cannot apply to non-resource URLs"
        errors.append(field_invalid(f"{field}.nonResourceURLs", paths, told))
    elif paths and any(rule.get(name) for name in _OF_RESOURCES):
        told = "rules cannot apply to both regular resources and non-resource URLs"
        errors.append(field_invalid(f"{field}.nonResourceURLs", paths, told))
    elif not paths:
        for name, what in (("apiGroups", "api group"), ("resources", "resource")):
            if not rule.get(name):
                errors.append(field_required(f"{field}.{name}", f"resource rules must supply at least one {what}"))
    return errors


class BindingStrategy(_Right):
    def __init__(self, *role_kinds: str) -> None:
        self._role_kinds = role_kinds

    def prepare(self, obj: Json, old: Json | None) -> None:
        reference = obj.setdefault("roleRef", {})
        if not reference.get("apiGroup"):
            reference["apiGroup"] = GROUP
        for subject in obj.get("subjects") or ():
            if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
                subject["apiGroup"] = GROUP
        if not obj.get("subjects"):
            obj.pop("subjects", None)

    def validate(self, obj: Json, old: Json | None) -> list[FieldError]:
        errors = self._reference_errors(obj["roleRef"])
        for index, subject in enumerate(obj.get("subjects") or ()):
            errors += _subject_errors(subject, f"subjects[{index}]")
        if old is not None and old["roleRef"] != obj["roleRef"]:
            errors.append(field_invalid("roleRef", obj["roleRef"], "cannot change roleRef"))
        return errors

    def _reference_errors(self, reference: Json) -> list[FieldError]:
        errors: list[FieldError] = []
        if reference["apiGroup"] != GROUP:
            errors.append(field_unsupported("roleRef.apiGroup", reference["apiGroup"], [GROUP]))
        if reference.get("kind") not in self._role_kinds:
            errors.append(field_unsupported("roleRef.kind", reference.get("kind", ""), self._role_kinds))
        if not reference.get("name"):
            errors.append(field_required("roleRef.name"))
        else:
            errors += segment_errors(reference["name"], "roleRef.name")
        return errors


def _subject_errors(subject: Json, field: str) -> list[FieldError]:
    kind, name, group = subject.get("kind", ""), subject.get("name", ""), subject.get("apiGroup", "")
    errors: list[FieldError] = []
    if not name:
        errors.append(field_required(f"{field}.name"))
    if kind == "ServiceAccount":
        errors += name_errors(name, f"{field}.name") if name else []
        if group:
            errors.append(field_unsupported(f"{field}.apiGroup", group, [""]))
    elif kind not in ("User", "Group"):
        errors.append(field_unsupported(f"{field}.kind", kind, ["Group", "ServiceAccount", "User"]))
    elif group != GROUP:
        errors.append(field_unsupported(f"{field}.apiGroup", group, [GROUP]))
    return errors
