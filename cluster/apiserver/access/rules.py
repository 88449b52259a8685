"""One rule of a role, and what a request asks for."""

from dataclasses import dataclass
from typing import Any

from cluster.apiserver.access.identity import Identity

ALL = "*"


@dataclass(frozen=True, slots=True)
class Attributes:
    """What is asked for; `resource` includes the subresource ("deploys/status"). `path`: of what is no resource."""

    verb: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """Empty `names` mean any."""

    verbs: frozenset[str]
    groups: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()

    def allows(self, wanted: Attributes) -> bool:
        if not _has(self.verbs, wanted.verb):
            return False
        if wanted.path:
            return any(_leads_to(path, wanted.path) for path in self.paths)
        return (
            _has(self.groups, wanted.group)
            and self.has_resource(wanted.resource)
            and (not self.names or wanted.name in self.names)
        )

    def has_resource(self, resource: str) -> bool:
        if _has(self.resources, resource):
            return True
        _, slash, subresource = resource.partition("/")
        return bool(slash) and f"*/{subresource}" in self.resources


def _has(options: frozenset[str], wanted: str) -> bool:
    return wanted in options or ALL in options


def _leads_to(path: str, wanted: str) -> bool:
    return path == wanted or (path.endswith(ALL) and wanted.startswith(path.rstrip(ALL)))


def rule_of(raw: dict[str, Any]) -> Rule:
    def names(field: str) -> frozenset[str]:
        return frozenset(raw.get(field) or ())

    return Rule(
        names("verbs"), names("apiGroups"), names("resources"), names("resourceNames"), names("nonResourceURLs")
    )


def uncovered(wanted: list[Rule], held: list[Rule]) -> list[Rule]:
    """The parts of `wanted`, each of one verb and one thing, that no single rule of `held` has."""
    return [part for rule in wanted for part in _parts(rule) if not any(_covers(one, part) for one in held)]


def _parts(rule: Rule) -> list[Rule]:
    parts = [
        Rule(frozenset({verb}), frozenset({group}), frozenset({resource}), frozenset({name} if name else ()))
        for verb in rule.verbs
        for group in rule.groups
        for resource in rule.resources
        for name in rule.names or ("",)
    ]
    return parts + [Rule(frozenset({verb}), paths=frozenset({path})) for verb in rule.verbs for path in rule.paths]


def _covers(held: Rule, part: Rule) -> bool:
    (verb,) = part.verbs
    if not _has(held.verbs, verb):
        return False
    if part.paths:
        (path,) = part.paths
        return any(_leads_to(mine, path) for mine in held.paths)
    (group,), (resource,) = part.groups, part.resources
    named = not held.names or (bool(part.names) and part.names <= held.names)
    return _has(held.groups, group) and held.has_resource(resource) and named


def refusal(identity: Identity, wanted: Attributes) -> str:
    """The words that follow "is forbidden:"."""
    scope = f' in the namespace "{wanted.namespace}"' if wanted.namespace else " at the cluster scope"
    return (
        f'User "{identity.user}" cannot {wanted.verb} resource "{wanted.resource}" in API group "{wanted.group}"{scope}'
    )
