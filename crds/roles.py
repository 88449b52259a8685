"""What each part of the platform, and each kind of person, may do at the Kubernetes API: the same on every server.

Three scopes: everywhere (`ROLES`), in the system namespace (`IN_SYSTEM`) and in the namespace of each account
(`IN_ACCOUNTS`: Secrets, by name). People and git write what is desired; the rest is the platform's alone."""

from crds.models.rbac import RBAC, PolicyRule
from crds.models.record import GROUP

READ = ["get", "list", "watch"]
WRITE = ["create", "update", "patch", "delete"]
EDIT = ["update", "patch"]
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
    "api": [_of("", ["secrets"], ["get", "create", "update", "patch", "delete"])],
    "controller": [_of("", ["secrets"], ["get", "create", "patch", "delete"])],
    "node": [_of("", ["secrets"], ["get"])],
}
IN_SYSTEM: dict[str, list[PolicyRule]] = {
    part: [_of("coordination.k8s.io", ["leases"], verbs)]
    for part, verbs in {
        "api": READ,
        "controller": [*READ, "create", *EDIT],
        "node": ["get", "create", *EDIT],
        "router": ["get", "create", *EDIT],
        "scheduler": [*READ, "create", *EDIT],
    }.items()
}
ROLES: dict[str, list[PolicyRule]] = {
    "api": [
        ours(["*"], READ),
        ours(["accounts", *_DESIRED, "computenodes"], ALL),
        _of("", ["namespaces"], READ),
    ],
    "controller": [
        ours(["*"], ALL),
        _of("", ["namespaces"], ALL),
        _of("apiextensions.k8s.io", ["customresourcedefinitions"], READ),
        # Gives the parts their way to an account's Secrets, and nobody anything else.
        _of(RBAC, ["rolebindings"], ["get", "create", "patch"]),
        _of(RBAC, ["clusterroles"], ["bind"], [secrets_role(part) for part in sorted(IN_ACCOUNTS)]),
    ],
    "egress": [ours(["accounts", "instances"], READ)],
    "node": [
        ours(["*"], READ),
        ours(["computenodes"], ["create", *EDIT]),
        ours(["instances"], EDIT),
        ours(["computenodes/status", "instances/status", "builds/status", "gitrefs/status"], EDIT),
    ],
    "router": [
        ours(["routes", "instances", "workloads"], READ),
        ours(["routes/status"], EDIT),
        # Only to take its own finalizer off.
        ours(["instances"], EDIT),
    ],
    "scheduler": [
        ours(["instances", "instances/status"], ALL),
        ours(["workloads", "builds", "gitrefs", "computenodes"], READ),
        ours(["workloads/status", "builds/status", "gitrefs/status", "computenodes/status"], EDIT),
    ],
}
PEOPLE: dict[str, list[PolicyRule]] = {
    "viewer": [ours([*_DESIRED, *_SCALED, *_OBSERVED], READ)],
    "editor": [ours([*_DESIRED, *_SCALED], ALL), ours(_OBSERVED, READ)],
    "operator": [ours(["*"], READ), ours(["accounts", *_DESIRED, *_SCALED, "computenodes"], ALL)],
}
"""Viewer and editor are bound in the namespace of one account, operator everywhere."""
