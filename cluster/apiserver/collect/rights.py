"""The roles that every server has: an administrator's, and what anybody may ask."""

from cluster.apiserver.access.identity import AUTHENTICATED, MASTERS, UNAUTHENTICATED
from cluster.apiserver.access.rbac import GROUP
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.identifiers import new_uid
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.context import Context

_API_VERSION = f"{GROUP}/v1"
_PUBLIC = ["/healthz", "/livez", "/readyz", "/version", "/version/"]
_DISCOVERY = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", *_PUBLIC]
_OWN = [
    {
        "verbs": ["create"],
        "apiGroups": ["authorization.k8s.io"],
        "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    },
    {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]},
]
_EVERYTHING = [
    {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
]
_DEFAULTS: list[tuple[str, list[Json], tuple[str, ...]]] = [
    ("cluster-admin", _EVERYTHING, (MASTERS,)),
    ("system:discovery", [{"verbs": ["get"], "nonResourceURLs": sorted(_DISCOVERY)}], (AUTHENTICATED,)),
    ("system:basic-user", _OWN, (AUTHENTICATED,)),
    (
        "system:public-info-viewer",
        [{"verbs": ["get"], "nonResourceURLs": _PUBLIC}],
        (AUTHENTICATED, UNAUTHENTICATED),
    ),
]


async def ensure_rights(context: Context) -> None:
    """At the start; what somebody has made of them since is theirs."""
    for name, rules, groups in _DEFAULTS:
        reference = {"apiGroup": GROUP, "kind": "ClusterRole", "name": name}
        subjects = [{"kind": "Group", "apiGroup": GROUP, "name": group} for group in groups]
        await _ensure(context, "ClusterRole", name, {"rules": rules})
        await _ensure(context, "ClusterRoleBinding", name, {"subjects": subjects, "roleRef": reference})


async def _ensure(context: Context, kind: str, name: str, content: Json) -> None:
    resource = f"{kind.lower()}s.{GROUP}"
    if context.store.latest(resource, ("", name)) is None:
        await context.store.put(resource, {**_head(kind, name), **content}, None)


def _head(kind: str, name: str) -> Json:
    metadata = {
        "name": name,
        "uid": new_uid(),
        "creationTimestamp": times.now(),
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
    }
    return {"apiVersion": _API_VERSION, "kind": kind, "metadata": metadata}
