"""What each part of the platform, and each kind of person, may do at the Kubernetes API: the same on every server.

Three scopes: everywhere (`ROLES`), in the system namespace (`IN_SYSTEM`) and in the namespace of each account
(`IN_ACCOUNTS`: Secrets, by name). People and git write what is desired; the rest is the platform's alone."""

from crds.models.rbac import RBAC, PolicyRule
from crds.models.record import GROUP

READ = ["get", "list", "watch"]
WRITE = ["create", "update", "patch", "delete"]
ALL = READ + WRITE
PARTS = ("api", "controller", "egress", "node", "router", "scheduler")
_DESIRED = ["projects", "scalings", "domains", "deploys"]
_SCALED = ["projects/scale", "scalings/scale"]
_OBSERVED = ["builds", "workloads", "routes", "instances", "gitrefs"]


def ours(resources: list[str], verbs: list[str]) -> PolicyRule:
    return PolicyRule(api_groups=[GROUP], resources=resources, verbs=verbs)


def _of(group: str, resources: list[str], verbs: list[str], names: list[str] | None = None) -> PolicyRule:
    return PolicyRule(api_groups=[group], resources=resources, verbs=verbs, resource_names=names)


def secrets_role(part: str) -> str:
    """The name of the ClusterRole that is bound in each account's namespace."""
    return f"setpoint-{part}-secrets"


IN_ACCOUNTS: dict[str, list[PolicyRule]] = {
    "api": [_of("", ["secrets"], ["get", "create", "patch", "delete"])],
    "controller": [_of("", ["secrets"], ["get", "create"])],
    "node": [_of("", ["secrets"], ["get"])],
}
IN_SYSTEM: dict[str, list[PolicyRule]] = {
    part: [_of("coordination.k8s.io", ["leases"], verbs)]
    for part, verbs in {
        "api": ["get"],
        "controller": ["get", "create", "update"],
        "node": ["get", "create", "update"],
        "router": ["create", "patch"],
        "scheduler": [*READ, "create", "update"],
    }.items()
}
ROLES: dict[str, list[PolicyRule]] = {
    "api": [
        ours(["accounts", "projects", "scalings", "deploys", "routes", "instances", "computenodes"], READ),
        ours(["projects", "scalings", "deploys"], ["create", "patch"]),
        ours(["projects"], ["delete"]),
    ],
    "controller": [
        ours(["accounts", *_DESIRED, *_OBSERVED, "hostclaims", "computenodes"], READ),
        ours(["projects", "scalings", "domains", "deploys", "workloads", "routes", "gitrefs"], ["patch"]),
        ours(["deploys", "builds", "gitrefs", "workloads", "routes", "hostclaims"], ["create"]),
        ours(["scalings", "domains", "deploys", "builds", "gitrefs", "workloads", "hostclaims"], ["delete"]),
        ours([f"{each}/status" for each in ("accounts", *_DESIRED)], ["patch"]),
        _of("", ["namespaces"], ["get", "create"]),
        # What kopf looks at to know of the kinds.
        _of("apiextensions.k8s.io", ["customresourcedefinitions"], READ),
        # Gives the parts their way to an account's Secrets, and nobody anything else.
        _of(RBAC, ["rolebindings"], ["create", "patch"]),
        _of(RBAC, ["clusterroles"], ["bind"], [secrets_role(part) for part in sorted(IN_ACCOUNTS)]),
    ],
    "egress": [ours(["accounts", "instances"], READ)],
    "node": [
        ours(["projects", "deploys", "workloads", "builds", "gitrefs", "instances", "computenodes"], READ),
        ours(["computenodes"], ["create"]),
        # Only to take its own finalizer off, and to note how a run ended.
        ours(["instances"], ["patch"]),
        ours(["computenodes/status", "instances/status", "builds/status", "gitrefs/status"], ["patch"]),
    ],
    "router": [
        ours(["routes", "instances", "workloads"], READ),
        ours(["routes/status"], ["patch"]),
        # Only to take its own finalizer off.
        ours(["instances"], ["patch"]),
    ],
    "scheduler": [
        ours(["instances", "workloads", "builds", "gitrefs", "computenodes"], READ),
        ours(["instances"], ["create", "patch", "delete"]),
        ours([f"{each}/status" for each in ("instances", "workloads", "builds", "gitrefs", "computenodes")], ["patch"]),
    ],
}
PEOPLE: dict[str, list[PolicyRule]] = {
    "viewer": [ours([*_DESIRED, *_SCALED, *_OBSERVED], READ)],
    "editor": [ours([*_DESIRED, *_SCALED], ALL), ours(_OBSERVED, READ)],
    "operator": [ours(["*"], READ), ours(["accounts", *_DESIRED, *_SCALED, "computenodes"], ALL)],
}
"""Viewer and editor are bound in the namespace of one account, operator everywhere."""
