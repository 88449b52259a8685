"""What each part of the platform may do, asked of an API server request by request."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product

from crds.kinds import KINDS
from crds.models.rbac import PolicyRule
from crds.models.record import GROUP
from crds.names import SYSTEM_NAMESPACE
from crds.rbac import account_of
from crds.roles import ALL, IN_ACCOUNTS, IN_SYSTEM, PARTS, ROLES
from tests.contract.apiserver.client import Api, Json

REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
VERBS = [*ALL, "deletecollection"]
RBAC = "rbac.authorization.k8s.io"
_OURS = [kind.model.resource.plural for kind in KINDS]
RESOURCES: list[tuple[str, str]] = [
    *((GROUP, plural) for plural in [*_OURS, *(f"{plural}/status" for plural in _OURS), "projects/scale"]),
    *(("", plural) for plural in ("secrets", "configmaps", "namespaces", "events", "pods", "pods/exec")),
    *(("", plural) for plural in ("serviceaccounts", "serviceaccounts/token", "users", "groups", "nodes")),
    *((RBAC, f"{scope}{kind}") for scope in ("", "cluster") for kind in ("roles", "rolebindings")),
    ("coordination.k8s.io", "leases"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
]
EXTRAS: list[tuple[str, str, str]] = [
    *((RBAC, f"{scope}roles", verb) for scope in ("", "cluster") for verb in ("bind", "escalate")),
    *(("", who, "impersonate") for who in ("users", "groups", "serviceaccounts")),
]
EVERYTHING = [*((group, resource, verb) for (group, resource), verb in product(RESOURCES, VERBS)), *EXTRAS]
Asked = tuple[str, str, str, str, str]
"""(part, namespace or "", group, resource, verb)"""


def allowed(api: Api, account: str) -> set[Asked]:
    """All that the parts may do: in an account's namespace, in the system's, in another one, and everywhere."""
    places = ["", account, SYSTEM_NAMESPACE, "default"]
    asked = [(part, place, *wanted) for part, place, wanted in product(PARTS, places, EVERYTHING)]
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda one: _may(api, *one), asked)
        return {one for one, yes in zip(asked, answers, strict=True) if yes}


def _may(api: Api, part: str, namespace: str, group: str, resource: str, verb: str) -> bool:
    plural, _, subresource = resource.partition("/")
    wanted = {"namespace": namespace, "group": group, "resource": plural, "subresource": subresource, "verb": verb}
    user = f"system:serviceaccount:{SYSTEM_NAMESPACE}:{account_of(part)}"
    review: Json = {"spec": {"user": user, "groups": [], "resourceAttributes": wanted}}
    return bool(api.ok("POST", REVIEWS, review)["status"]["allowed"])


def expected(account: str) -> set[Asked]:
    """What the roles say, rule by rule."""
    found: set[Asked] = set()
    for part in PARTS:
        scopes: list[tuple[tuple[str, ...], list[PolicyRule]]] = [
            (("", account, SYSTEM_NAMESPACE, "default"), ROLES[part])
        ]
        scopes += [((account,), IN_ACCOUNTS.get(part, [])), ((SYSTEM_NAMESPACE,), IN_SYSTEM.get(part, []))]
        for places, rules in scopes:
            for rule, place in product(rules, places):
                found |= {(part, place, *wanted) for wanted in EVERYTHING if _says(rule, *wanted)}
    return found


def _says(rule: PolicyRule, group: str, resource: str, verb: str) -> bool:
    named = bool(rule.resource_names)
    every = "*" in rule.resources and group in rule.api_groups
    return not named and verb in rule.verbs and group in rule.api_groups and (every or resource in rule.resources)
