"""May somebody do something: SelfSubjectAccessReview, SubjectAccessReview, LocalSubjectAccessReview and
SelfSubjectRulesReview."""

from cluster.apiserver.access.identity import Identity
from cluster.apiserver.access.rules import Attributes, Rule
from cluster.apiserver.errors import FieldError, bad_request, field_invalid, invalid
from cluster.apiserver.http.request import Request
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.context import Context

_ONE_OF = "exactly one of nonResourceAttributes or resourceAttributes must be specified"


def own_access(context: Context, target: Target, obj: Json, request: Request) -> None:
    spec = obj["spec"]
    _refuse(target, _attribute_errors(spec))
    _decide(context, obj, request.identity)


def access_of(context: Context, target: Target, obj: Json, _request: Request) -> None:
    spec = obj["spec"]
    errors = _attribute_errors(spec)
    if not spec.get("user") and not spec.get("groups"):
        errors.append(field_invalid("spec.user", "", "at least one of user or group must be specified"))
    _refuse(target, errors)
    _decide(context, obj, Identity(spec.get("user", ""), tuple(spec.get("groups") or ())))


def local_access(context: Context, target: Target, obj: Json, request: Request) -> None:
    spec = obj["spec"]
    if spec.get("nonResourceAttributes") is not None:
        told = "disallowed on this kind of request"
        _refuse(target, [field_invalid("spec.nonResourceAttributes", spec["nonResourceAttributes"], told)])
    sent = (spec.get("resourceAttributes") or {}).get("namespace", "")
    if sent != target.namespace:
        told = f"must match the namespace of the request: {target.namespace}"
        _refuse(target, [field_invalid("spec.resourceAttributes.namespace", sent, told)])
    access_of(context, target, obj, request)


def own_rules(context: Context, _target: Target, obj: Json, request: Request) -> None:
    namespace = obj["spec"].get("namespace")
    if not namespace:
        raise bad_request("no namespace on request")
    rules = context.access.rbac.rules_of(request.identity, namespace)
    obj["status"] = {
        "resourceRules": [_of_resources(rule) for rule in rules if rule.resources],
        "nonResourceRules": [_of_paths(rule) for rule in rules if rule.paths],
        "incomplete": False,
    }


def _decide(context: Context, obj: Json, identity: Identity) -> None:
    decision = context.access.decide(identity, _wanted(obj["spec"]))
    obj["status"] = {"allowed": decision.allowed} | ({"reason": decision.reason} if decision.reason else {})


def _wanted(spec: Json) -> Attributes:
    of_path: Json = spec.get("nonResourceAttributes") or {}
    if of_path:
        return Attributes(of_path.get("verb", ""), path=of_path.get("path", ""))
    of: Json = spec["resourceAttributes"]
    resource, subresource = of.get("resource", ""), of.get("subresource", "")
    whole = f"{resource}/{subresource}" if subresource else resource
    return Attributes(of.get("verb", ""), of.get("group", ""), whole, of.get("namespace", ""), of.get("name", ""))


def _attribute_errors(spec: Json) -> list[FieldError]:
    of_resource, of_path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if of_resource is not None and of_path is not None:
        return [field_invalid("spec.nonResourceAttributes", of_path, "cannot be specified in combination")]
    return [field_invalid("spec.resourceAttributes", None, _ONE_OF)] if of_resource is None and of_path is None else []


def _refuse(target: Target, errors: list[FieldError]) -> None:
    if errors:
        raise invalid(target.resource.group, "", "", errors)


def _of_resources(rule: Rule) -> Json:
    told: Json = {
        "verbs": sorted(rule.verbs),
        "apiGroups": sorted(rule.groups),
        "resources": sorted(rule.resources),
    }
    return told | ({"resourceNames": sorted(rule.names)} if rule.names else {})


def _of_paths(rule: Rule) -> Json:
    return {"verbs": sorted(rule.verbs), "nonResourceURLs": sorted(rule.paths)}
