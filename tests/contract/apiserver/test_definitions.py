"""CRDs: conditions, conflicts, versions, deletion, and the schemas that are refused."""

import pytest

from tests.contract.apiserver.client import Api, Json, causes, eventually, unique

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OBJECT: Json = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def definition(group: str, schema: Json | None = None, **names: object) -> Json:
    wanted = {"plural": "things", "kind": "Thing", **names}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema or OBJECT}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{wanted['plural']}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": wanted, "versions": [version]},
    }


def conditions(api: Api, name: str) -> dict[str, tuple[str, str]]:
    status = api.get(f"{DEFINITIONS}/{name}").get("status", {})
    return {c["type"]: (c["status"], c["reason"]) for c in status.get("conditions") or []}


def test_established(api: Api) -> None:
    group = unique("g") + ".example.com"
    version = api.get(DEFINITIONS)["metadata"]["resourceVersion"]
    made = api.ok("POST", DEFINITIONS, definition(group))
    assert made["spec"]["names"] == {"plural": "things", "kind": "Thing", "singular": "thing", "listKind": "ThingList"}
    with api.watching(DEFINITIONS, resourceVersion=version, fieldSelector=f"metadata.name=things.{group}") as watch:
        assert watch.next()["type"] == "ADDED"
        told = watch.until(lambda event: bool(event["object"]["status"].get("conditions")))
    assert told["type"] == "MODIFIED"
    wanted = {"NamesAccepted": ("True", "NoConflicts"), "Established": ("True", "InitialNamesAccepted")}
    eventually(lambda: conditions(api, f"things.{group}") == wanted)
    resources = api.get(f"/apis/{group}/v1")["resources"]
    assert resources[0]["kind"] == "Thing"
    api.ok("DELETE", f"{DEFINITIONS}/things.{group}")
    eventually(lambda: api.request("GET", f"/apis/{group}/v1").status_code == 404)


def test_a_taken_kind_waits(api: Api) -> None:
    group = unique("g") + ".example.com"
    api.ok("POST", DEFINITIONS, definition(group))
    eventually(lambda: conditions(api, f"things.{group}"))
    api.ok("POST", DEFINITIONS, definition(group, plural="others", singular="other"))
    refused = {"NamesAccepted": ("False", "ListKindConflict"), "Established": ("False", "NotAccepted")}
    eventually(lambda: conditions(api, f"others.{group}") == refused)
    others = f"/apis/{group}/v1/namespaces/{api.namespace}/others"
    assert api.request("GET", others).status_code == 404
    api.ok("DELETE", f"{DEFINITIONS}/things.{group}")
    eventually(lambda: conditions(api, f"others.{group}").get("Established", ("", ""))[0] == "True")
    eventually(lambda: api.request("GET", others).status_code == 200)
    api.ok("DELETE", f"{DEFINITIONS}/others.{group}")


def test_deleted_with_objects_that_are_held(api: Api) -> None:
    group = unique("g") + ".example.com"
    api.ok("POST", DEFINITIONS, definition(group))
    path = f"/apis/{group}/v1/namespaces/{api.namespace}/things"
    eventually(lambda: api.request("GET", path).status_code == 200)
    thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "a", "finalizers": ["x.io/y"]}}
    api.ok("POST", path, thing)
    marked = api.ok("DELETE", f"{DEFINITIONS}/things.{group}")
    assert "customresourcecleanup.apiextensions.k8s.io" in marked["metadata"]["finalizers"]
    assert conditions(api, f"things.{group}")["Terminating"] == ("True", "InstanceDeletionInProgress")
    assert api.request("POST", path, {**thing, "metadata": {"name": "b"}}).status_code in (403, 405)
    eventually(lambda: "deletionTimestamp" in api.get(f"{path}/a")["metadata"])
    api.patch(f"{path}/a", {"metadata": {"finalizers": None}})
    eventually(lambda: api.gone(f"{DEFINITIONS}/things.{group}"))
    assert api.request("GET", path).text.strip() == "404 page not found"


def test_a_later_default_shows(api: Api) -> None:
    group = unique("g") + ".example.com"
    spec: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema: Json = {"type": "object", "properties": {"spec": spec}}
    api.ok("POST", DEFINITIONS, definition(group, schema))
    path = f"/apis/{group}/v1/namespaces/{api.namespace}/things"
    eventually(lambda: api.request("GET", path).status_code == 200)
    made = api.ok("POST", path, {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {}})
    spec["properties"]["b"] = {"type": "string", "default": "later"}
    api.patch(f"{DEFINITIONS}/things.{group}", {"spec": {"versions": definition(group, schema)["spec"]["versions"]}})
    eventually(lambda: api.get(f"{path}/a")["spec"] == {"b": "later"})
    assert api.get(f"{path}/a")["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    api.ok("DELETE", f"{DEFINITIONS}/things.{group}")


def test_versions_are_ordered_and_converted_by_name(api: Api) -> None:
    group = unique("g") + ".example.com"
    wanted = definition(group)
    only = wanted["spec"]["versions"][0]
    wanted["spec"]["versions"] = [
        {**only, "name": name, "storage": name == "v1beta1"} for name in ("v2alpha1", "v1beta1", "v1", "v2")
    ]
    api.ok("POST", DEFINITIONS, wanted)
    eventually(lambda: api.request("GET", f"/apis/{group}").status_code == 200)
    told = eventually(lambda: api.get(f"/apis/{group}"))
    assert [v["version"] for v in told["versions"]] == ["v2", "v1", "v1beta1", "v2alpha1"]
    assert told["preferredVersion"]["version"] == "v2"
    path = f"/apis/{group}/{{}}/namespaces/{api.namespace}/things"
    eventually(lambda: api.request("GET", path.format("v2")).status_code == 200)
    api.ok("POST", path.format("v2"), {"apiVersion": f"{group}/v2", "kind": "Thing", "metadata": {"name": "a"}, "x": 1})
    for version in ("v1", "v2alpha1"):
        assert api.get(path.format(version) + "/a")["apiVersion"] == f"{group}/{version}"
        assert api.get(path.format(version))["items"][0]["apiVersion"] == f"{group}/{version}"
    api.ok("DELETE", f"{DEFINITIONS}/things.{group}")


def of(below: Json) -> Json:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": {"x": below}}}}


@pytest.mark.parametrize(
    "schema",
    [
        of({}),
        of({"type": "array"}),
        of({"type": "array", "uniqueItems": True, "items": {"type": "string"}}),
        of({"$ref": "#/definitions/x"}),
        of({"type": "string", "anyOf": [{"type": "string"}]}),
        of({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
        of({"type": "integer", "default": "one"}),
        of({"type": "object", "default": {"a": 1, "b": 2}, "properties": {"a": {"type": "integer"}}}),
        of(
            {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}}},
            }
        ),
        of({"type": "string", "pattern": "("}),
        of({"type": "string", "x-kubernetes-validations": [{"rule": "self.bogus("}]}),
        of({"type": "string", "x-kubernetes-validations": [{"rule": "bogus(self)"}]}),
        {"type": "string"},
    ],
)
def test_schemas_that_are_refused(api: Api, schema: Json) -> None:
    group = unique("g") + ".example.com"
    answer = api.request("POST", DEFINITIONS, definition(group, schema))
    assert answer.status_code == 422, answer.text
    assert answer.json()["details"]["kind"] == "CustomResourceDefinition"


def test_no_schema_and_bad_name(api: Api) -> None:
    group = unique("g") + ".example.com"
    wanted = definition(group)
    del wanted["spec"]["versions"][0]["schema"]
    assert api.request("POST", DEFINITIONS, wanted).status_code == 422
    wanted = definition(group)
    wanted["metadata"]["name"] = "other." + group
    assert ("FieldValueInvalid", "metadata.name") in causes(api.request("POST", DEFINITIONS, wanted))
