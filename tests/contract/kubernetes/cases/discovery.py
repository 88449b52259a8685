"""What there is, and what there is not. A real server has more: of what everybody's are, ours are looked at."""

from collections.abc import Callable
from typing import Any

from tests.contract.apiserver.client import GROUP, Json, eventually
from tests.contract.kubernetes.conversation import Conversation
from tests.contract.kubernetes.gadgets import TEXT, definition, establish, group_of, schema, version

_CORE = ("namespaces", "secrets", "configmaps", "events")
_GROUPS = ("test.example.com", "apiextensions.k8s.io", "coordination.k8s.io")
_REVIEWS = ("selfsubjectaccessreviews", "selfsubjectreviews")
_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_BETA = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"


def of_a_group(talk: Conversation) -> None:
    talk.say("GET", GROUP)
    talk.say("GET", "/apis/test.example.com")
    talk.say("GET", "/apis/test.example.com/v2")
    talk.say("GET", "/apis/no.such.group")


def beside_resources(talk: Conversation) -> None:
    talk.say("GET", "/nonsense")
    talk.say("GET", "/readyz")


def of_built_in_groups(talk: Conversation) -> None:
    talk.look("/api", lambda found: {**found, "serverAddressByClientCIDRs": "<addresses>"})
    talk.look("/apis", _groups(*_GROUPS))
    talk.look("/api/v1", _resources(*_CORE))
    for group in ("apiextensions.k8s.io", "coordination.k8s.io"):
        talk.say("GET", f"/apis/{group}")
        talk.say("GET", f"/apis/{group}/v1")
    reviews = _resources(*_REVIEWS)
    talk.look("/apis/authorization.k8s.io/v1", reviews)
    talk.look("/apis/authentication.k8s.io/v1", reviews)


def aggregated(talk: Conversation) -> None:
    talk.look("/apis", _groups_told(*_GROUPS), _AGGREGATED)
    talk.look("/api", _only_resources(*_CORE), _AGGREGATED)
    talk.look("/apis", _reviews_told, _AGGREGATED)


def aggregated_by_what_is_accepted(talk: Conversation) -> None:
    table = "application/json;as=Table;v=v1;g=meta.k8s.io"
    for accept in (
        _BETA,
        f"{_AGGREGATED},{_BETA},application/json",
        f"application/xml,{_AGGREGATED}",
        f"application/json,{_AGGREGATED}",
        f"application/*,{_AGGREGATED}",
        "*/*",
        f"{table},*/*",
        table,
        _AGGREGATED.replace("v2", "v3"),
        f"{_AGGREGATED.replace('v2', 'v3')},application/json",
        _AGGREGATED.replace("List", ""),
        "application/xml",
    ):
        talk.look("/apis", _either, accept)
    for path in ("/apis/test.example.com", GROUP):
        talk.look(path, _kind, f"{_AGGREGATED},application/json")
        talk.look(path, _kind, _AGGREGATED)


def that_is_kept(talk: Conversation) -> None:
    talk.keep("/apis", _AGGREGATED)
    talk.keep("/api", _AGGREGATED)
    talk.keep("/apis")


def aggregated_definitions(talk: Conversation) -> None:
    fields = {"a": TEXT, "n": {"type": "integer"}}
    scale = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}
    first = version(schema={"openAPIV3Schema": schema(**fields)}, subresources={"status": {}, "scale": scale})
    names = {"shortNames": ["gd", "gg"], "categories": ["all", "some"]}
    group = group_of(talk)
    establish(talk, definition(talk, first, version("v2", storage=False), names=names))
    other = definition(talk, names={"plural": "others", "kind": "Other"})
    other["spec"]["scope"] = "Cluster"
    establish(talk, other)
    eventually(lambda: len(_resources_in(talk, group)) == 3)
    talk.look("/apis", _groups_told(group), _AGGREGATED)


def _resources_in(talk: Conversation, group: str) -> list[Json]:
    found = talk.api.http.get("/apis", headers={"Accept": _AGGREGATED}).json()
    versions = [told for item in _groups_told(group)(found)["items"] for told in item["versions"]]
    return [resource for told in versions for resource in told["resources"]]


def _groups(*names: str) -> Callable[[Any], Any]:
    return lambda found: {**found, "groups": [group for group in found["groups"] if group["name"] in names]}


def _either(found: Json) -> Any:
    return _groups_told("test.example.com")(found) if "items" in found else _groups("test.example.com")(found)


def _kind(found: Json) -> str:
    return str(found["kind"])


def _resources(*names: str) -> Callable[[Any], Any]:
    def part(found: Json) -> Json:
        listed = [resource for resource in found["resources"] if resource["name"].partition("/")[0] in names]
        return {**found, "resources": sorted(listed, key=lambda resource: str(resource["name"]))}

    return part


def _groups_told(*names: str) -> Callable[[Any], Any]:
    """In the order of their names, as the real order is that in which they came."""

    def part(found: Json) -> Json:
        listed = [item for item in found["items"] if item["metadata"].get("name") in names]
        return {**found, "items": sorted(listed, key=lambda item: str(item["metadata"]["name"]))}

    return part


def _only_resources(*names: str) -> Callable[[Any], Any]:
    def version_part(told: Json) -> Json:
        return {**told, "resources": [each for each in told["resources"] if each["resource"] in names]}

    def part(found: Json) -> Json:
        items = [{**item, "versions": [version_part(told) for told in item["versions"]]} for item in found["items"]]
        return {**found, "items": items}

    return part


def _reviews_told(found: Json) -> Any:
    groups = _groups_told("authorization.k8s.io", "authentication.k8s.io")(found)
    return _only_resources(*_REVIEWS)(groups)
