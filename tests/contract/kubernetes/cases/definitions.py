"""CustomResourceDefinitions: what is refused, and one's life. Each case has a group of its own."""

from typing import Any

from tests.contract.apiserver.client import MERGE, Json, eventually
from tests.contract.kubernetes.conversation import Conversation

_AT = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_ANY: Json = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}}}


def _definition(talk: Conversation, schema: Json | None = None, **version: Any) -> Json:
    group = f"{talk.api.namespace}.example.com"
    served = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema or _ANY}, **version}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"gadgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "gadgets", "kind": "Gadget"},
            "versions": [served],
        },
    }


def _spec(**schema: Any) -> Json:
    return {"type": "object", "properties": {"spec": schema}}


_REFUSED: tuple[Json, ...] = (
    _spec(),
    _spec(type="array"),
    _spec(type="object", properties={"a": {}}),
    _spec(type="array", items={"type": "string"}, uniqueItems=True),
    _spec(**{"$ref": "#/x"}),
    _spec(type="object", anyOf=[{"type": "object"}]),
    _spec(type="object", properties={"a": {"type": "string"}}, additionalProperties={"type": "string"}),
    _spec(type="string", default=1),
    _spec(type="nonsense"),
    _spec(
        type="array",
        items={"type": "object", "properties": {"k": {"type": "string"}}},
        **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
    ),
    _spec(type="string", **{"x-kubernetes-validations": [{"rule": "self.nonsense("}]}),
    _spec(type="string", pattern="("),
    {"type": "string"},
)


def schemas_that_are_refused(talk: Conversation) -> None:
    for schema in _REFUSED:
        talk.say("POST", _AT, _definition(talk, schema), dryRun="All")


def definitions_that_are_refused(talk: Conversation) -> None:
    good = _definition(talk)
    spec = good["spec"]
    changes: tuple[Json, ...] = (
        {"group": ""},
        {"scope": "Nowhere"},
        {"names": {"plural": "Gadgets", "kind": "Gadget"}},
        {"names": {"plural": "others", "kind": "Other"}},
        {"versions": []},
        {"versions": [{**spec["versions"][0], "storage": False}]},
        {"versions": [spec["versions"][0], spec["versions"][0]]},
        {"versions": [{"name": "v1", "served": True, "storage": True}]},
    )
    for changed in changes:
        talk.say("POST", _AT, {**good, "spec": {**spec, **changed}}, dryRun="All")


def life(talk: Conversation) -> None:
    body = _definition(talk, subresources={"status": {}})
    name, group = body["metadata"]["name"], body["spec"]["group"]
    talk.api.ok("POST", _AT, body)
    things = f"/apis/{group}/v1/namespaces/{talk.api.namespace}/gadgets"
    eventually(lambda: talk.api.request("GET", things).status_code == 200)
    talk.say("GET", f"/apis/{group}")
    gadget = {
        "apiVersion": f"{group}/v1",
        "kind": "Gadget",
        "metadata": {"name": "one", "finalizers": ["example.com/a"]},
    }
    talk.say("POST", things, {**gadget, "spec": {"a": "x", "b": "y"}})
    talk.say("PATCH", f"{_AT}/{name}", {"spec": {"scope": "Cluster"}}, MERGE)
    talk.api.ok("DELETE", f"{_AT}/{name}")
    eventually(lambda: talk.api.get(f"{things}/one")["metadata"].get("deletionTimestamp"))
    talk.say("POST", things, {**gadget, "metadata": {"name": "two"}})
    talk.say("PATCH", f"{things}/one", {"spec": {"a": "z"}}, MERGE)
    talk.say("PATCH", f"{things}/one", {"metadata": {"finalizers": None}}, MERGE)
    eventually(lambda: talk.api.gone(f"{_AT}/{name}"))
    eventually(lambda: talk.api.request("GET", things).status_code == 404)
    talk.say("GET", things)
