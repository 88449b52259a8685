"""Nobody gives a right that they do not hold, by a role or by a binding, and nobody makes by a change what they may not
create."""

from cluster.apiserver.access.identity import MASTERS, Identity
from cluster.apiserver.access.rbac import GROUP
from cluster.apiserver.access.rules import SHOWN, Attributes, Rule, TooMuch, refusal, rule_of, uncovered
from cluster.apiserver.errors import forbidden, not_found
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.context import Context

_ROLES = ("roles", "clusterroles")
_COLLECTED = ("ownerReferences", "finalizers", "managedFields", "resourceVersion")


def require_create(context: Context, target: Target, identity: Identity) -> None:
    """Of whoever makes an object by a PUT or an apply: raises 403 for those who may only change what is there."""
    resource = target.resource
    wanted = Attributes("create", resource.group, resource.plural, target.namespace, target.name)
    if not context.access.allows(identity, wanted):
        raise forbidden(resource.group, resource.plural, target.name, refusal(identity, wanted))


def require_grantable(context: Context, target: Target, obj: Json, old: Json | None, identity: Identity) -> None:
    """Raises 403 for a role or binding that would give more than `identity` has, 404 for one of a missing role."""
    if target.resource.group != GROUP or MASTERS in identity.groups or _only_collected(obj, old):
        return
    name = obj["metadata"].get("name", "")
    given = _of_role if target.resource.plural in _ROLES else _of_binding
    held = context.access.rbac.rules_of(identity, target.namespace)
    try:
        missing = uncovered(given(context, target, obj, identity), held)
    except TooMuch as error:
        told = "it says too much at once to tell whether you hold it all: make several roles of it"
        raise forbidden(GROUP, target.resource.plural, name, told) from error
    if missing:
        told = f'user "{identity.user}" is attempting to grant RBAC permissions not currently held: {_shown(missing)}'
        raise forbidden(GROUP, target.resource.plural, name, told)


def _of_role(context: Context, target: Target, obj: Json, identity: Identity) -> list[Rule]:
    """What the role would give; nothing where `identity` may escalate."""
    name = obj["metadata"].get("name", "")
    escalate = Attributes("escalate", GROUP, target.resource.plural, target.namespace, name)
    if context.access.allows(identity, escalate):
        return []
    return [rule_of(rule) for rule in obj.get("rules") or ()]


def _of_binding(context: Context, target: Target, obj: Json, identity: Identity) -> list[Rule]:
    """What the bound role gives; nothing where `identity` may bind it."""
    reference: Json = obj.get("roleRef") or {}
    plural = "clusterroles" if reference.get("kind") == "ClusterRole" else "roles"
    role = reference.get("name", "")
    if context.access.allows(identity, Attributes("bind", GROUP, plural, target.namespace, role)):
        return []
    rules = context.access.rbac.rules_in({"kind": reference.get("kind", ""), "name": role}, target.namespace)
    if rules is None:
        raise not_found(GROUP, target.resource.plural, role)
    return list(rules)


def _only_collected(obj: Json, old: Json | None) -> bool:
    """Changes by which the collector ends what is owned need no rights."""
    if old is None:
        return False

    def rest(value: Json) -> Json:
        metadata = {name: below for name, below in value["metadata"].items() if name not in _COLLECTED}
        return {**value, "metadata": metadata}

    return rest(obj) == rest(old)


def _shown(rules: list[Rule]) -> str:
    told = [
        f"{sorted(rule.verbs)} of {sorted(rule.paths or rule.resources)} in {sorted(rule.groups)}"
        for rule in rules[:SHOWN]
    ]
    return "; ".join(told) + (" and more" if len(rules) > SHOWN else "")
