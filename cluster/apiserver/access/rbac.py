"""The roles and bindings there are, kept so that a request is a look-up: by who asks, and in which namespace."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cluster.apiserver.access.identity import MASTERS, Identity
from cluster.apiserver.access.rules import Attributes, Rule, rule_of
from cluster.apiserver.storage.records import Change, Record
from cluster.apiserver.types import Json, Key

GROUP = "rbac.authorization.k8s.io"
ROLES, CLUSTER_ROLES = f"roles.{GROUP}", f"clusterroles.{GROUP}"
BINDINGS = frozenset({f"rolebindings.{GROUP}", f"clusterrolebindings.{GROUP}"})
KINDS = frozenset({ROLES, CLUSTER_ROLES}) | BINDINGS

Subject = tuple[str, str]
"""("User" or "Group", its name)"""


class Decision(NamedTuple):
    allowed: bool
    reason: str = ""


class Bound(NamedTuple):
    """That one subject has a role. `told`: in words, for those who ask why."""

    role: tuple[str, Key]
    told: str


class Rbac:
    """Follows what is committed; `decide` and `rules_of` look nothing up anywhere else."""

    def __init__(self) -> None:
        self._roles: dict[tuple[str, Key], tuple[Rule, ...]] = {}
        self._bound: dict[tuple[Subject, str], dict[Key, Bound]] = {}
        self._subjects: dict[Key, list[Subject]] = {}

    def notice(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if change.resource in KINDS:
                self.forget(change.resource, change.record.key)
                if change.type != "DELETED":
                    self.learn(change.resource, change.record)

    def learn(self, resource: str, record: Record) -> None:
        obj = record.decode()
        if resource in BINDINGS:
            self._bind(record.key, obj)
        elif resource in KINDS:
            self._roles[(resource, record.key)] = tuple(rule_of(rule) for rule in obj.get("rules") or ())

    def forget(self, resource: str, key: Key) -> None:
        self._roles.pop((resource, key), None)
        if resource not in BINDINGS:
            return
        for subject in self._subjects.pop(key, ()):
            held = self._bound.get((subject, key[0]), {})
            held.pop(key, None)
            if not held:
                self._bound.pop((subject, key[0]), None)

    def decide(self, identity: Identity, wanted: Attributes) -> Decision:
        if MASTERS in identity.groups:
            return Decision(True)
        for bound in self._held(identity, wanted.namespace):
            if any(rule.allows(wanted) for rule in self._roles.get(bound.role, ())):
                return Decision(True, f"RBAC: allowed by {bound.told}")
        return Decision(False)

    def rules_of(self, identity: Identity, namespace: str) -> list[Rule]:
        """All that somebody holds in a namespace ("": everywhere)."""
        return [rule for bound in self._held(identity, namespace) for rule in self._roles.get(bound.role, ())]

    def rules_in(self, reference: Json, namespace: str) -> tuple[Rule, ...] | None:
        """Of the role that a binding in `namespace` refers to; None where there is none."""
        return self._roles.get(_role_of(reference, namespace))

    def _held(self, identity: Identity, namespace: str) -> Iterator[Bound]:
        subjects: list[Subject] = [("User", identity.user), *(("Group", group) for group in identity.groups)]
        for place in ("", namespace) if namespace else ("",):
            for subject in subjects:
                yield from self._bound.get((subject, place), {}).values()

    def _bind(self, key: Key, obj: Json) -> None:
        namespace, name = key
        role = _role_of(obj["roleRef"], namespace)
        kind, place = ("RoleBinding", f"{name}/{namespace}") if namespace else ("ClusterRoleBinding", name)
        reference = obj["roleRef"]
        for subject in obj.get("subjects") or ():
            who = _subject_of(subject)
            told = f'{kind} "{place}" of {reference["kind"]} "{reference["name"]}" to {_told(subject)}'
            self._bound.setdefault((who, namespace), {})[key] = Bound(role, told)
            self._subjects.setdefault(key, []).append(who)


def _role_of(reference: Json, namespace: str) -> tuple[str, Key]:
    if reference["kind"] == "ClusterRole":
        return CLUSTER_ROLES, ("", reference["name"])
    return ROLES, (namespace, reference["name"])


def _subject_of(subject: Json) -> Subject:
    if subject["kind"] == "ServiceAccount":
        return "User", f"system:serviceaccount:{subject.get('namespace', '')}:{subject['name']}"
    return subject["kind"], subject["name"]


def _told(subject: Json) -> str:
    if subject["kind"] == "ServiceAccount":
        return f'ServiceAccount "{subject["name"]}/{subject.get("namespace", "")}"'
    return f'{subject["kind"]} "{subject["name"]}"'
