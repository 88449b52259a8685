"""May an identity do something: rules like RBAC's, any one that matches allows."""

from dataclasses import dataclass
from typing import Any

from cluster.apiserver.access.identity import MASTERS, Identity


@dataclass(frozen=True, slots=True)
class Attributes:
    """What is asked for; `resource` includes the subresource ("deploys/status")."""

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """Empty `names` and `namespaces` mean any."""

    groups: frozenset[str]
    resources: frozenset[str]
    verbs: frozenset[str]
    names: frozenset[str]
    namespaces: frozenset[str]

    def allows(self, wanted: Attributes) -> bool:
        return (
            _has(self.verbs, wanted.verb)
            and _has(self.groups, wanted.group)
            and self._has_resource(wanted.resource)
            and (not self.names or wanted.name in self.names)
            and (not self.namespaces or wanted.namespace in self.namespaces)
        )

    def _has_resource(self, resource: str) -> bool:
        if _has(self.resources, resource):
            return True
        _, slash, subresource = resource.partition("/")
        return bool(slash) and f"*/{subresource}" in self.resources


def _has(options: frozenset[str], wanted: str) -> bool:
    return wanted in options or "*" in options


def rule_of(raw: dict[str, Any]) -> Rule:
    def names(field: str) -> frozenset[str]:
        return frozenset(raw.get(field) or ())

    return Rule(names("apiGroups"), names("resources"), names("verbs"), names("resourceNames"), names("namespaces"))


class Rules:
    """Rules by user or group name."""

    def __init__(self, roles: dict[str, list[dict[str, Any]]]) -> None:
        self._roles = {holder: tuple(rule_of(rule) for rule in rules) for holder, rules in roles.items()}

    def allows(self, identity: Identity, wanted: Attributes) -> bool:
        if MASTERS in identity.groups:
            return True
        holders = (identity.user, *identity.groups)
        return any(rule.allows(wanted) for holder in holders for rule in self._roles.get(holder, ()))


def refusal(identity: Identity, wanted: Attributes) -> str:
    """The words that follow "is forbidden:"."""
    scope = f' in the namespace "{wanted.namespace}"' if wanted.namespace else " at the cluster scope"
    return (
        f'User "{identity.user}" cannot {wanted.verb} resource "{wanted.resource}" in API group "{wanted.group}"{scope}'
    )
