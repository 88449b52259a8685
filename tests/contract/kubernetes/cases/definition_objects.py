"""A definition as an object: what is filled in, who owns it, what changes and what may not."""

import time

from tests.contract.apiserver.client import APPLY, JSON_PATCH, MERGE, STRATEGIC
from tests.contract.kubernetes.conversation import Conversation
from tests.contract.kubernetes.gadgets import (
    DEFINITIONS,
    TABLE,
    TEXT,
    await_condition,
    await_field,
    await_short_names,
    definition,
    establish,
    gadget,
    objects,
    place,
    schema,
    version,
)

_WIDE = {"openAPIV3Schema": schema(a=TEXT, b=TEXT)}
_METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


def made(talk: Conversation) -> None:
    body = definition(talk, labels={"case": talk.api.namespace})
    talk.say("POST", DEFINITIONS, body)
    await_condition(talk, body, "Established", "True")
    talk.say("GET", place(body))
    talk.say("GET", DEFINITIONS, labelSelector=f"case={talk.api.namespace}")
    talk.say("GET", DEFINITIONS, fieldSelector=f"metadata.name={body['metadata']['name']}", accept=_METADATA)
    talk.say("GET", DEFINITIONS, fieldSelector="spec.scope=Namespaced")
    talk.say("POST", DEFINITIONS, body)


def dry(talk: Conversation) -> None:
    body = definition(talk)
    talk.say("POST", DEFINITIONS, body, dryRun="All")
    talk.say("GET", place(body))


def tables(talk: Conversation) -> None:
    at = establish(talk, definition(talk))
    # The cell of the time differs from run to run.
    talk.say("GET", at, accept=TABLE, includeObject="None")
    talk.say("GET", at, accept=TABLE)


def filled_in(talk: Conversation) -> None:
    names = {"singular": "gadgetry", "shortNames": ["gd"], "listKind": "GadgetPile", "categories": ["all"]}
    whole = definition(
        talk,
        version(
            additionalPrinterColumns=[{"name": "A", "type": "string", "jsonPath": ".spec.a"}],
            selectableFields=[{"jsonPath": ".spec.a"}],
            subresources={"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}},
            deprecated=True,
            deprecationWarning="use another",
        ),
        names=names,
    )
    spec = {**whole["spec"], "conversion": {"strategy": "None"}, "preserveUnknownFields": False}
    sent = {"status": {"storedVersions": ["v0"], "conditions": []}, "spec": spec}
    talk.say("POST", DEFINITIONS, {**whole, **sent}, dryRun="All")
    first = version()
    first.update(subresources={}, selectableFields=[], additionalPrinterColumns=[])
    empty = {"shortNames": [], "categories": [], "singular": "", "listKind": ""}
    talk.say("POST", DEFINITIONS, definition(talk, first, names=empty), dryRun="All")


def unknown_fields(talk: Conversation) -> None:
    body = definition(talk, version(junk=1))
    body["spec"]["junk"] = body["spec"]["names"]["junk"] = 1
    body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["junk"] = 1
    talk.say("POST", DEFINITIONS, body, dryRun="All")
    talk.say("POST", DEFINITIONS, body, dryRun="All", fieldValidation="Strict")
    odd = definition(talk)
    odd["spec"]["versions"][0]["served"] = "yes"
    talk.say("POST", DEFINITIONS, odd, dryRun="All")


def put(talk: Conversation) -> None:
    at = establish(talk, definition(talk))
    talk.say("POST", objects(talk), gadget(talk, "one", {"a": "x", "b": "y"}))
    found = talk.api.get(at)
    spec = {**found["spec"], "versions": [version(schema=_WIDE)]}
    talk.say("PUT", at, {**found, "spec": spec, "status": {"storedVersions": ["v9"]}})
    await_field(talk, 201, "b")
    talk.say("POST", objects(talk), gadget(talk, "two", {"a": "x", "b": "y"}))
    talk.say("PUT", at, found)
    found = talk.api.get(at)
    talk.say("PUT", at, found)
    without = {name: value for name, value in found["metadata"].items() if name != "resourceVersion"}
    talk.say("PUT", at, {**found, "metadata": without})
    talk.say("PUT", at, {**found, "spec": {**found["spec"], "versions": [version()]}})
    await_field(talk, 400, "b")
    talk.say("GET", f"{objects(talk)}/two")
    talk.say("PATCH", f"{objects(talk)}/two", {"spec": {"a": "z"}}, MERGE)
    talk.say("PUT", f"{DEFINITIONS}/absent.example.com", {**found, "metadata": {"name": "absent.example.com"}})


def patched(talk: Conversation) -> None:
    at = establish(talk, definition(talk))
    talk.say("PATCH", at, {"metadata": {"labels": {"a": "b"}}}, MERGE)
    wide = {"op": "replace", "path": "/spec/versions/0/schema", "value": _WIDE}
    talk.say("PATCH", at, [wide], JSON_PATCH)
    await_field(talk, 201, "b")
    talk.say("PATCH", at, {"spec": {"versions": [version(served=False)]}}, STRATEGIC)
    talk.say("PATCH", at, {"spec": {"versions": [version(junk=1)]}}, MERGE)
    talk.say("PATCH", at, {"spec": {"names": {"shortNames": ["g", "h"], "categories": ["all"]}}}, STRATEGIC)
    await_short_names(talk, definition(talk), "g", "h")
    talk.say("PATCH", at, {"metadata": {"finalizers": ["example.com/a"]}}, MERGE)
    talk.say("PATCH", at, {"spec": {"versions": []}}, MERGE)


def applied(talk: Conversation) -> None:
    body = definition(talk)
    talk.say("PATCH", place(body), body, APPLY, fieldManager="me")
    await_condition(talk, body, "Established", "True")
    body["spec"]["versions"] = [version(schema=_WIDE)]
    talk.say("PATCH", place(body), body, APPLY, fieldManager="me")
    body["spec"]["names"]["shortNames"] = ["gd"]
    talk.say("PATCH", place(body), body, APPLY, fieldManager="you")
    body["spec"]["versions"] = [version()]
    talk.say("PATCH", place(body), body, APPLY, fieldManager="you")


def applied_again(talk: Conversation) -> None:
    body = definition(talk, version(additionalPrinterColumns=[]), names={"shortNames": []})
    body["spec"]["versions"][0]["schema"]["openAPIV3Schema"].update(description="", nullable=False)
    talk.api.apply(place(body), body, "me")
    await_condition(talk, body, "Established", "True")
    talk.say("GET", place(body))
    # Times are whole seconds: what was written again would have another one, and a version of its own.
    time.sleep(1.1)
    talk.say("PATCH", place(body), body, APPLY, fieldManager="me")


def what_may_not_change(talk: Conversation) -> None:
    body = definition(talk)
    at = establish(talk, body)
    for spec in (
        {"scope": "Cluster"},
        {"group": "other.example.com"},
        {"names": {"plural": "others"}},
        {"names": {"kind": "Other"}},
        {"scope": "Cluster", "names": {"plural": "others", "kind": "Other", "listKind": "Others"}},
        {"preserveUnknownFields": True},
    ):
        talk.say("PATCH", at, {"spec": spec}, MERGE)
    talk.say("PATCH", at, {"metadata": {"name": "others.example.com"}}, MERGE)
    talk.say("PATCH", at, {"spec": {"names": {"singular": "gadgetry", "listKind": "Pile"}}}, MERGE)


def status(talk: Conversation) -> None:
    at = establish(talk, definition(talk))
    talk.say("GET", f"{at}/status")
    odd = {
        "type": "Odd",
        "status": "True",
        "reason": "Odd",
        "message": "",
        "lastTransitionTime": "2024-05-01T10:00:00Z",
    }
    kept = talk.api.get(at)["status"]["conditions"]
    talk.say("PATCH", f"{at}/status", {"status": {"conditions": [*kept, odd]}, "spec": {"scope": "Cluster"}}, MERGE)
    talk.say("PATCH", f"{at}/status", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    talk.say("PATCH", f"{at}/status", {"status": {"storedVersions": ["v1", "v0"]}}, MERGE)
    talk.say("PATCH", at, {"metadata": {"labels": {"c": "d"}}}, MERGE)
    talk.say("PATCH", f"{at}/status", {"status": {"storedVersions": []}}, MERGE)
    talk.say("PATCH", f"{at}/status", {"status": {"storedVersions": ["v1"], "acceptedNames": {"plural": "No"}}}, MERGE)
    found = talk.api.get(at)
    talk.say("PUT", f"{at}/status", {**found, "status": {**found["status"], "conditions": kept}})
    talk.say("PATCH", at, {"status": {"storedVersions": ["v7"]}}, MERGE)
