"""Roles and bindings: what they may say, and what they allow."""

from typing import Any

from tests.contract.apiserver.client import APPLY, MERGE, Json
from tests.contract.kubernetes.conversation import Conversation

GROUP = "rbac.authorization.k8s.io"
AT = f"/apis/{GROUP}/v1"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
READ: Json = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}
SUBJECT_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


def _role(kind: str, name: str, rules: Any) -> Json:
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "rules": rules}


def _binding(kind: str, name: str, role: Json, *subjects: Json) -> Json:
    metadata = {"name": name}
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": metadata, "roleRef": role, "subjects": [*subjects]}


def _reference(kind: str, name: str) -> Json:
    return {"apiGroup": GROUP, "kind": kind, "name": name}


def _user(name: str) -> Json:
    return {"kind": "User", "name": name}


def _own(talk: Conversation, plural: str) -> str:
    return f"{AT}/namespaces/{talk.api.namespace}/{plural}"


def roles(talk: Conversation) -> None:
    at = _own(talk, "roles")
    talk.say("POST", at, _role("Role", "one", [READ]))
    talk.say("POST", at, _role("Role", "with:colon", []))
    talk.say("GET", f"{at}/one", accept=TABLE)
    talk.say("PATCH", f"{at}/one", {"rules": [{**READ, "resourceNames": ["a"]}]}, MERGE)
    talk.say("PATCH", f"{at}/one", {"rules": None}, MERGE)
    talk.say("PUT", f"{at}/absent", _role("Role", "absent", [READ]))
    talk.say("DELETE", f"{at}/one")


def roles_that_are_refused(talk: Conversation) -> None:
    at = _own(talk, "roles")
    rules: list[Json] = [
        {"apiGroups": [""], "resources": ["configmaps"]},
        {"apiGroups": [""], "verbs": ["get"]},
        {"resources": ["configmaps"], "verbs": ["get"]},
        {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
        {"verbs": ["get"]},
        {},
        {"apiGroups": "core"},
    ]
    for rule in rules:
        talk.say("POST", at, _role("Role", "one", [rule]))
    for name in ("a/b", "..", ""):
        talk.say("POST", at, _role("Role", name, []))
    cluster = _role("ClusterRole", f"{talk.api.namespace}-both", [{**READ, "nonResourceURLs": ["/metrics"]}])
    talk.say("POST", f"{AT}/clusterroles", cluster)
    for paths in (["metrics"], ["/a*b"], ["*"]):
        metrics = [{"nonResourceURLs": paths, "verbs": ["get"]}]
        talk.say(
            "POST", f"{AT}/clusterroles", _role("ClusterRole", f"{talk.api.namespace}-paths", metrics), dryRun="All"
        )


def bindings(talk: Conversation) -> None:
    at = _own(talk, "rolebindings")
    account = {"kind": "ServiceAccount", "name": "sa", "namespace": talk.api.namespace}
    group = {"kind": "Group", "name": "team"}
    talk.say("POST", at, _binding("RoleBinding", "one", {"kind": "Role", "name": "absent"}, _user("u"), group, account))
    talk.say("GET", f"{at}/one", accept=TABLE)
    talk.say("PATCH", f"{at}/one", {"roleRef": {"name": "other"}}, MERGE)
    talk.say("PATCH", f"{at}/one", {"subjects": None}, MERGE)
    talk.say("PUT", f"{at}/absent", _binding("RoleBinding", "absent", _reference("ClusterRole", "view")))
    wide = f"{talk.api.namespace}-wide"
    of_all = _binding("ClusterRoleBinding", wide, _reference("ClusterRole", "absent"), _user("u"), account)
    talk.say("POST", f"{AT}/clusterrolebindings", of_all)
    talk.say("GET", f"{AT}/clusterrolebindings/{wide}", accept=TABLE)
    talk.say("DELETE", f"{AT}/clusterrolebindings/{wide}")


def bindings_that_are_refused(talk: Conversation) -> None:
    at = _own(talk, "rolebindings")
    role = _reference("Role", "r")
    references: list[Json] = [
        {"kind": "Role"},
        {"kind": "Widget", "name": "r"},
        {"apiGroup": "other", "kind": "Role", "name": "r"},
        {"kind": "Role", "name": "a/b"},
        {},
    ]
    for reference in references:
        talk.say("POST", at, _binding("RoleBinding", "one", reference))
    subjects: list[Json] = [
        {"kind": "User"},
        {"kind": "Robot", "name": "r"},
        {"kind": "User", "name": "u", "apiGroup": "other"},
        {"kind": "ServiceAccount", "name": "sa"},
        {"kind": "ServiceAccount", "name": "No", "namespace": "default"},
        {"kind": "ServiceAccount", "name": "sa", "namespace": "default", "apiGroup": GROUP},
        {},
    ]
    for subject in subjects:
        talk.say("POST", at, _binding("RoleBinding", "one", role, subject))
    wide = f"{talk.api.namespace}-wide"
    talk.say("POST", f"{AT}/clusterrolebindings", _binding("ClusterRoleBinding", wide, role))


def _may(talk: Conversation, user: str, groups: list[str], **wanted: str) -> Json:
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview"}
    kind = "nonResourceAttributes" if "path" in wanted else "resourceAttributes"
    return {**review, "spec": {"user": user, "groups": groups, kind: wanted}}


def _until_allowed(talk: Conversation, review: Json) -> None:
    """A real server hears of new roles a moment later."""
    talk.settled(lambda: talk.api.ok("POST", SUBJECT_REVIEWS, review)["status"]["allowed"])


def what_is_allowed(talk: Conversation) -> None:
    own, user = talk.api.namespace, f"{talk.api.namespace}-user"
    rules = [
        {"apiGroups": [""], "resources": ["configmaps", "widgets/status", "*/scale"], "verbs": ["get", "list"]},
        {"apiGroups": ["a.example.com"], "resources": ["*"], "verbs": ["*"]},
        {"apiGroups": ["*"], "resources": ["secrets"], "resourceNames": ["mine"], "verbs": ["get"]},
    ]
    talk.say("POST", _own(talk, "roles"), _role("Role", "some", rules))
    talk.say(
        "POST", _own(talk, "rolebindings"), _binding("RoleBinding", "some", _reference("Role", "some"), _user(user))
    )
    _until_allowed(talk, _may(talk, user, [], namespace=own, verb="get", resource="configmaps"))
    asked: list[Json] = [
        {"verb": "get", "resource": "configmaps"},
        {"verb": "list", "resource": "configmaps", "name": "one"},
        {"verb": "delete", "resource": "configmaps"},
        {"verb": "get", "resource": "configmaps", "subresource": "status"},
        {"verb": "get", "resource": "widgets"},
        {"verb": "get", "resource": "widgets", "subresource": "status"},
        {"verb": "get", "resource": "anything", "subresource": "scale"},
        {"verb": "get", "resource": "*"},
        {"verb": "frob", "resource": "things", "subresource": "odd", "group": "a.example.com"},
        {"verb": "get", "resource": "secrets"},
        {"verb": "get", "resource": "secrets", "name": "mine"},
        {"verb": "get", "resource": "secrets", "name": "mine", "group": "b.example.com"},
        {"verb": "get", "resource": "secrets", "name": "yours"},
    ]
    for wanted in asked:
        talk.say("POST", SUBJECT_REVIEWS, _may(talk, user, [], namespace=own, **wanted))
    talk.say("POST", SUBJECT_REVIEWS, _may(talk, user, [], namespace="default", verb="get", resource="configmaps"))
    talk.say("POST", SUBJECT_REVIEWS, _may(talk, user, [], verb="get", resource="configmaps"))
    talk.say("POST", SUBJECT_REVIEWS, _may(talk, "other", [], namespace=own, verb="get", resource="configmaps"))


def what_is_allowed_everywhere(talk: Conversation) -> None:
    own, name = talk.api.namespace, f"{talk.api.namespace}-wide"
    rules = [READ, {"nonResourceURLs": ["/metrics", "/logs/*"], "verbs": ["get"]}]
    talk.say("POST", f"{AT}/clusterroles", _role("ClusterRole", name, rules))
    account = {"kind": "ServiceAccount", "name": "sa", "namespace": own}
    subjects = [{"kind": "Group", "name": name}, account]
    bound = _binding("ClusterRoleBinding", name, _reference("ClusterRole", name), *subjects)
    talk.say("POST", f"{AT}/clusterrolebindings", bound)
    narrow = _binding("RoleBinding", "narrow", _reference("ClusterRole", name), _user(f"{name}-n"))
    talk.say("POST", _own(talk, "rolebindings"), narrow)
    _until_allowed(talk, _may(talk, "u", [name], verb="list", resource="configmaps"))
    _until_allowed(talk, _may(talk, f"{name}-n", [], namespace=own, verb="list", resource="configmaps"))
    who: list[tuple[str, list[str]]] = [
        ("u", [name]),
        (f"system:serviceaccount:{own}:sa", []),
        (f"system:serviceaccount:{own}:other", []),
        (f"{name}-n", []),
        ("root", ["system:masters"]),
        ("u", ["system:authenticated"]),
        ("", ["system:unauthenticated"]),
    ]
    for user, groups in who:
        talk.say("POST", SUBJECT_REVIEWS, _may(talk, user, groups, verb="list", resource="configmaps"))
        talk.say("POST", SUBJECT_REVIEWS, _may(talk, user, groups, namespace=own, verb="list", resource="configmaps"))
        for path in ("/metrics", "/logs/a/b", "/logs", "/api/v1", "/nonsense"):
            talk.say("POST", SUBJECT_REVIEWS, _may(talk, user, groups, path=path, verb="get"))
    talk.say("POST", SUBJECT_REVIEWS, _may(talk, "", ["system:unauthenticated"], path="/version", verb="get"))
    talk.say("DELETE", f"{AT}/clusterrolebindings/{name}")
    talk.say("DELETE", f"{AT}/clusterroles/{name}")


def reviews_that_are_refused(talk: Conversation) -> None:
    both = {"path": "/metrics", "verb": "get"}
    resource = {"verb": "get", "resource": "configmaps", "namespace": talk.api.namespace}
    review: Json = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview"}
    specs: list[Json] = [
        {},
        {"user": "u"},
        {"resourceAttributes": resource},
        {"user": "u", "resourceAttributes": resource, "nonResourceAttributes": both},
    ]
    for spec in specs:
        talk.say("POST", SUBJECT_REVIEWS, {**review, "spec": spec})
        own = {name: value for name, value in spec.items() if name != "user"}
        path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        talk.say("POST", path, {**review, "kind": "SelfSubjectAccessReview", "spec": own})
    local = f"/apis/authorization.k8s.io/v1/namespaces/{talk.api.namespace}/localsubjectaccessreviews"
    review["kind"] = "LocalSubjectAccessReview"
    talk.say("POST", local, {**review, "spec": {"user": "u", "resourceAttributes": resource}})
    elsewhere = {**resource, "namespace": "default"}
    talk.say("POST", local, {**review, "spec": {"user": "u", "resourceAttributes": elsewhere}})
    talk.say("POST", local, {**review, "spec": {"user": "u", "nonResourceAttributes": both}})


def _account_with(talk: Conversation, rules: list[Json]) -> str:
    """A token of a service account that may do this in the namespace."""
    accounts = talk.api.core("serviceaccounts")
    talk.api.ok("POST", accounts, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "sa"}})
    talk.api.ok("POST", _own(talk, "roles"), _role("Role", "held", rules))
    subject = {"kind": "ServiceAccount", "name": "sa", "namespace": talk.api.namespace}
    talk.api.ok(
        "POST", _own(talk, "rolebindings"), _binding("RoleBinding", "held", _reference("Role", "held"), subject)
    )
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token: str = talk.api.ok("POST", f"{accounts}/sa/token", asked)["status"]["token"]
    first = {"namespace": talk.api.namespace, "verb": rules[0]["verbs"][0], "resource": rules[0]["resources"][0]}
    if rules[0]["apiGroups"] != [""]:
        first["group"] = rules[0]["apiGroups"][0]
    _until_allowed(talk, _may(talk, f"system:serviceaccount:{talk.api.namespace}:sa", [], **first))
    return token


def nobody_gives_what_they_do_not_have(talk: Conversation) -> None:
    writes = {"apiGroups": [GROUP], "resources": ["roles", "rolebindings"], "verbs": ["create", "update", "patch"]}
    token = _account_with(talk, [writes, READ])
    at, bound = _own(talk, "roles"), _own(talk, "rolebindings")
    talk.say("POST", at, _role("Role", "less", [{**READ, "verbs": ["get"]}]), token=token)
    talk.say("POST", at, _role("Role", "named", [{**READ, "resourceNames": ["a"]}]), token=token)
    talk.say("POST", at, _role("Role", "more", [{**READ, "verbs": ["get", "delete"]}]), token=token)
    talk.say("POST", at, _role("Role", "all", [{**READ, "verbs": ["*"]}]), token=token)
    talk.say("PATCH", f"{at}/less", {"rules": [{**READ, "resources": ["secrets"]}]}, MERGE, token=token)
    talk.say("PATCH", f"{at}/less", {"metadata": {"labels": {"a": "b"}}}, MERGE, token=token)
    talk.say("POST", bound, _binding("RoleBinding", "less", _reference("Role", "less"), _user("u")), token=token)
    talk.say("POST", bound, _binding("RoleBinding", "admin", _reference("ClusterRole", "cluster-admin")), token=token)
    talk.say("POST", bound, _binding("RoleBinding", "lost", _reference("Role", "absent")), token=token)


def who_may_give_more(talk: Conversation) -> None:
    rules: list[Json] = [
        {"apiGroups": [GROUP], "resources": ["roles"], "verbs": ["create", "escalate"]},
        {"apiGroups": [GROUP], "resources": ["rolebindings"], "verbs": ["create"]},
        {"apiGroups": [GROUP], "resources": ["clusterroles"], "resourceNames": ["cluster-admin"], "verbs": ["bind"]},
    ]
    token = _account_with(talk, rules)
    at, bound = _own(talk, "roles"), _own(talk, "rolebindings")
    talk.say("POST", at, _role("Role", "more", [{**READ, "verbs": ["*"]}]), token=token)
    talk.say("POST", bound, _binding("RoleBinding", "admin", _reference("ClusterRole", "cluster-admin")), token=token)
    talk.say("POST", bound, _binding("RoleBinding", "more", _reference("Role", "more")), token=token)


def who_may_only_change(talk: Conversation) -> None:
    """Makes nothing by an apply, nor by a PUT of a kind whose PUT makes what is not there."""
    leases = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["update"]}
    token = _account_with(talk, [{**READ, "verbs": ["patch"]}, leases])
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}}
    talk.say("PATCH", f"{talk.api.core('configmaps')}/new", body, APPLY, token=token, fieldManager="me")
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "new"}}
    at = f"/apis/coordination.k8s.io/v1/namespaces/{talk.api.namespace}/leases/new"
    talk.say("PUT", at, lease, token=token)


def places_that_are_no_resources(talk: Conversation) -> None:
    token = _account_with(talk, [READ])
    for path in ("/healthz", "/metrics", "/nonsense", "/apis/nonsense", "/apis/nonsense/v1/things"):
        talk.say("GET", path, token=token)
        talk.say("HEAD", path, token=token)
    talk.say("HEAD", "/version", token=token)
    talk.say("DELETE", "/version", token=token)
    del talk.api.http.headers["Authorization"]
    for path in ("/healthz", "/version", "/api", "/openapi/v3", "/nonsense"):
        talk.say("HEAD", path)


def my_own_rights(talk: Conversation) -> None:
    token = _account_with(talk, [READ, {**READ, "resources": ["secrets"], "resourceNames": ["a"], "verbs": ["get"]}])
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    for verb, namespace in (("get", talk.api.namespace), ("delete", talk.api.namespace), ("get", "default")):
        wanted = {"verb": verb, "resource": "configmaps", "namespace": namespace}
        talk.say("POST", path, {**review, "spec": {"resourceAttributes": wanted}}, token=token)
