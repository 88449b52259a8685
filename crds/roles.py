"""What each part of the platform may do at the Kubernetes API, as RBAC rules: the same on every server.

People's own accounts and the git sync get `PEOPLE`: they write what is desired; the rest is the platform's alone."""

from dataclasses import dataclass

from crds.models.record import GROUP

READ = ("get", "list", "watch")
WRITE = ("create", "update", "patch", "delete")
ALL = READ + WRITE
OURS = (GROUP,)
LEASES = ("coordination.k8s.io",)


@dataclass(frozen=True)
class Rule:
    groups: tuple[str, ...]
    resources: tuple[str, ...]
    verbs: tuple[str, ...]

    def wire(self) -> dict[str, list[str]]:
        return {"apiGroups": list(self.groups), "resources": list(self.resources), "verbs": list(self.verbs)}


def _lease() -> Rule:
    return Rule(LEASES, ("leases",), ("get", "list", "watch", "create", "update", "patch"))


def _crds() -> Rule:
    return Rule(("apiextensions.k8s.io",), ("customresourcedefinitions",), READ)


PEOPLE: list[Rule] = [
    Rule(OURS, ("projects", "scalings", "domains", "projects/scale", "scalings/scale"), ALL),
    Rule(OURS, ("deploys",), ALL),
    Rule(OURS, ("builds", "workloads", "routes", "instances", "gitrefs"), READ),
]

ROLES: dict[str, list[Rule]] = {
    "controller": [
        Rule(OURS, ("*",), ALL),
        Rule(("",), ("namespaces",), ALL),
        Rule(("",), ("secrets",), ("get", "create", "patch", "delete")),
        Rule(("", "events.k8s.io"), ("events",), ("create", "patch")),
        _lease(),
        _crds(),
    ],
    "api": [
        Rule(OURS, ("*",), READ),
        Rule(OURS, ("accounts", "projects", "scalings", "domains", "deploys", "computenodes"), ALL),
        Rule(("",), ("secrets",), ("get", "create", "update", "patch", "delete")),
        Rule(("",), ("namespaces",), READ),
        _lease(),
    ],
    "scheduler": [
        Rule(OURS, ("instances", "instances/status"), ALL),
        Rule(OURS, ("workloads", "builds", "gitrefs", "computenodes"), READ),
        Rule(OURS, ("workloads/status", "builds/status", "gitrefs/status", "computenodes/status"), ("update", "patch")),
        _lease(),
    ],
    "router": [
        Rule(OURS, ("routes", "instances", "workloads"), READ),
        Rule(OURS, ("routes/status",), ("update", "patch")),
        # Only to take its own finalizer off.
        Rule(OURS, ("instances",), ("update", "patch")),
        _lease(),
    ],
    "egress": [Rule(OURS, ("accounts", "instances"), READ)],
    "node": [
        Rule(OURS, ("*",), READ),
        Rule(OURS, ("computenodes",), ("create", "update", "patch")),
        Rule(OURS, ("instances",), ("update", "patch")),
        Rule(
            OURS,
            ("computenodes/status", "instances/status", "builds/status", "gitrefs/status"),
            ("update", "patch"),
        ),
        Rule(("",), ("secrets",), ("get",)),
        _lease(),
    ],
}
