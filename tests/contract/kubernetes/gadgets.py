"""Definitions that cases make for themselves, each in a group of its conversation's own: they are everybody's."""

from typing import Any

from tests.contract.apiserver.client import Json, eventually
from tests.contract.kubernetes.conversation import Conversation

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
TEXT: Json = {"type": "string"}


def schema(**fields: Json) -> Json:
    """Of objects whose spec has these fields."""
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}


def version(name: str = "v1", **more: Any) -> Json:
    """One that is served and stored, and whose objects have `spec.a`."""
    return {"name": name, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema(a=TEXT)}, **more}


def definition(talk: Conversation, *versions: Json, names: Json | None = None, **metadata: Any) -> Json:
    group, names = group_of(talk), {"plural": "gadgets", "kind": "Gadget", **(names or {})}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}", **metadata},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": list(versions) or [version()]},
    }


def group_of(talk: Conversation) -> str:
    return f"{talk.api.namespace}.example.com"


def place(body: Json) -> str:
    return f"{DEFINITIONS}/{body['metadata']['name']}"


def objects(talk: Conversation, plural: str = "gadgets", version: str = "v1") -> str:
    return f"/apis/{group_of(talk)}/{version}/namespaces/{talk.api.namespace}/{plural}"


def gadget(talk: Conversation, name: str, spec: Json | None = None, version: str = "v1", **metadata: Any) -> Json:
    body = {"apiVersion": f"{group_of(talk)}/{version}", "kind": "Gadget", "metadata": {"name": name, **metadata}}
    return {**body, "spec": spec or {}}


def establish(talk: Conversation, body: Json) -> str:
    """Make it without a word, wait until it is served, and say where it is."""
    talk.api.ok("POST", DEFINITIONS, body)
    await_condition(talk, body, "Established", "True")
    served = next(version["name"] for version in body["spec"]["versions"] if version["served"])
    at = objects(talk, body["spec"]["names"]["plural"], served)
    if body["spec"]["scope"] == "Cluster":
        at = at.replace(f"/namespaces/{talk.api.namespace}", "")
    await_status(talk, 200, "GET", at)
    return place(body)


def await_condition(talk: Conversation, body: Json, kind: str, status: str, reason: str = "") -> None:
    def reached() -> bool:
        conditions = talk.api.get(place(body)).get("status", {}).get("conditions") or []
        return any(
            (found["type"], found["status"]) == (kind, status) and reason in ("", found["reason"])
            for found in conditions
        )

    eventually(reached)


def await_short_names(talk: Conversation, body: Json, *names: str) -> None:
    eventually(lambda: talk.api.get(place(body))["status"]["acceptedNames"].get("shortNames") == list(names))


def await_status(talk: Conversation, code: int, method: str, path: str, body: Json | None = None, **query: str) -> None:
    """Until this is answered so: a real server looks at a changed definition a little later."""
    eventually(lambda: talk.api.request(method, path, body, **query).status_code == code)


def await_field(talk: Conversation, code: int, field: str) -> None:
    """201: until the objects have `field`; 400: until they have it no more."""
    tried = gadget(talk, "tried", {field: "x"})
    await_status(talk, code, "POST", objects(talk), tried, dryRun="All", fieldValidation="Strict")
    # Lists are put off for a moment by a real server that has just begun to serve another schema.
    await_status(talk, 200, "GET", objects(talk))
