"""CustomResourceDefinitions: what is refused, and one's life. Each case has a group of its own."""

from typing import Any

from tests.contract.apiserver.client import MERGE, Json, eventually
from tests.contract.kubernetes.conversation import Conversation
from tests.contract.kubernetes.gadgets import DEFINITIONS, definition, version


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
        talk.say("POST", DEFINITIONS, definition(talk, version(schema={"openAPIV3Schema": schema})), dryRun="All")


def definitions_that_are_refused(talk: Conversation) -> None:
    good = definition(talk)
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
        talk.say("POST", DEFINITIONS, {**good, "spec": {**spec, **changed}}, dryRun="All")


_COLUMN: Json = {"name": "A", "type": "string", "jsonPath": ".spec.a"}
_OTHER_SCHEMA: Json = {"openAPIV3Schema": _spec(type="object")}
_PARTS: tuple[Json, ...] = (
    {"additionalPrinterColumns": [{}]},
    {"additionalPrinterColumns": [{**_COLUMN, "type": "text", "format": "odd"}]},
    {"additionalPrinterColumns": [_COLUMN, {**_COLUMN, "jsonPath": "spec.a"}]},
    {"additionalPrinterColumns": [{**_COLUMN, "jsonPath": ".spec[?("}]},
    {"subresources": {"scale": {}}},
    {"subresources": {"scale": {"specReplicasPath": ".status.n", "statusReplicasPath": ".spec.n"}}},
    {
        "subresources": {
            "scale": {
                "specReplicasPath": ".spec.n",
                "statusReplicasPath": ".status.n",
                "labelSelectorPath": ".metadata.n",
            }
        }
    },
    {"subresources": {"scale": {"specReplicasPath": ".spec.l[0]", "statusReplicasPath": "words"}}},
    {"deprecationWarning": "use another"},
    {"deprecated": True, "deprecationWarning": ""},
    {"name": ""},
    {"name": "v1.0"},
    {"schema": {"openAPIV3Schema": {**_spec(type="object"), "nullable": True}}},
    {
        "schema": {"openAPIV3Schema": {**_spec(type="object"), "not": {"required": ["a"]}}},
        "subresources": {"status": {}},
    },
)


def parts_that_are_refused(talk: Conversation) -> None:
    for changed in _PARTS:
        talk.say("POST", DEFINITIONS, definition(talk, version(**changed)), dryRun="All")
    several = (
        [
            version("v1", schema=_OTHER_SCHEMA),
            version("v2", storage=False, schema={"openAPIV3Schema": _spec(type="odd")}),
        ],
        [version("v1"), version("v2", storage=False, additionalPrinterColumns=[{}], subresources={"scale": {}})],
        [version("v1"), version("v2", storage=False, selectableFields=[{}])],
        [{"name": "v1", "schema": _OTHER_SCHEMA}],
    )
    for versions in several:
        talk.say("POST", DEFINITIONS, definition(talk, *versions), dryRun="All")


def names_that_are_refused(talk: Conversation) -> None:
    for names in (
        {"shortNames": ["ok", "Bad"], "categories": ["Bad_"]},
        {"listKind": "Gadget"},
        {"kind": "1Gadget", "listKind": "No-"},
        {"singular": "Bad"},
        {"plural": "1gadgets"},
        {"kind": ""},
        {"plural": ""},
    ):
        talk.say("POST", DEFINITIONS, definition(talk, names=names), dryRun="All")


def groups_that_are_refused(talk: Conversation) -> None:
    good = definition(talk)
    for group in ("one", "Bad.example.com", "gadgets.k8s.io", "gadgets.kubernetes.io"):
        body = {**good, "metadata": {"name": f"gadgets.{group}"}, "spec": {**good["spec"], "group": group}}
        talk.say("POST", DEFINITIONS, body, dryRun="All")
    for approval in ("nonsense", "unapproved, a test", "https://example.com/approval"):
        metadata = {"name": "gadgets.gadgets.k8s.io", "annotations": {"api-approved.kubernetes.io": approval}}
        body = {**good, "metadata": metadata, "spec": {**good["spec"], "group": "gadgets.k8s.io"}}
        talk.say("POST", DEFINITIONS, body, dryRun="All")


def conversions(talk: Conversation) -> None:
    good = definition(talk)
    client = {"url": "https://127.0.0.1:1/convert"}
    for conversion in (
        {"strategy": "Odd"},
        {},
        {"strategy": "Webhook"},
        {"strategy": "None", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}},
        {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}},
    ):
        body = {**good, "spec": {**good["spec"], "conversion": conversion}}
        talk.say("POST", DEFINITIONS, body, dryRun="All")


def life(talk: Conversation) -> None:
    body = definition(talk, version(subresources={"status": {}}))
    name, group = body["metadata"]["name"], body["spec"]["group"]
    talk.api.ok("POST", DEFINITIONS, body)
    things = f"/apis/{group}/v1/namespaces/{talk.api.namespace}/gadgets"
    eventually(lambda: talk.api.request("GET", things).status_code == 200)
    talk.say("GET", f"/apis/{group}")
    gadget = {
        "apiVersion": f"{group}/v1",
        "kind": "Gadget",
        "metadata": {"name": "one", "finalizers": ["example.com/a"]},
    }
    talk.say("POST", things, {**gadget, "spec": {"a": "x", "b": "y"}})
    talk.say("PATCH", f"{DEFINITIONS}/{name}", {"spec": {"scope": "Cluster"}}, MERGE)
    talk.api.ok("DELETE", f"{DEFINITIONS}/{name}")
    eventually(lambda: talk.api.get(f"{things}/one")["metadata"].get("deletionTimestamp"))
    talk.say("POST", things, {**gadget, "metadata": {"name": "two"}})
    talk.say("PATCH", f"{things}/one", {"spec": {"a": "z"}}, MERGE)
    talk.say("PATCH", f"{things}/one", {"metadata": {"finalizers": None}}, MERGE)
    eventually(lambda: talk.api.gone(f"{DEFINITIONS}/{name}"))
    eventually(lambda: talk.api.request("GET", things).status_code == 404)
    talk.say("GET", things)
