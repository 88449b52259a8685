"""PUT and the three patches, /status and /scale."""

import json

import pytest

from tests.contract.apiserver.client import (
    JSON_PATCH,
    MERGE,
    STRATEGIC,
    Api,
    Json,
    causes,
    config_map,
    managed,
    widget,
)


def test_put_replaces_and_counts_generations(api: Api) -> None:
    made = api.widget("one", {"note": "a"})
    changed = api.ok("PUT", f"{api.widgets}/one", {**made, "spec": {"note": "b"}})
    assert changed["metadata"]["generation"] == 2
    assert changed["spec"] == {"note": "b", "replicas": 1}
    labelled = api.patch(f"{api.widgets}/one", {"metadata": {"labels": {"a": "b"}}})
    assert labelled["metadata"]["generation"] == 2


def test_put_needs_the_version(api: Api) -> None:
    made = api.widget("one")
    without = json.loads(json.dumps(made))
    del without["metadata"]["resourceVersion"]
    answer = api.request("PUT", f"{api.widgets}/one", without)
    assert answer.status_code == 422
    assert answer.json()["details"]["kind"] == "widgets"
    assert causes(answer) == [("FieldValueInvalid", "metadata.resourceVersion")]
    api.patch(f"{api.widgets}/one", {"spec": {"note": "b"}})
    stale = api.request("PUT", f"{api.widgets}/one", {**made, "spec": {"note": "c", "junk": 1}})
    assert stale.status_code == 409
    assert stale.json()["details"] == {"name": "one", "group": "test.example.com", "kind": "widgets"}
    assert "warning" in stale.headers


def test_put_of_built_in_kinds_may_be_unconditional(api: Api) -> None:
    api.ok("POST", api.core("configmaps"), config_map("one", {"a": "1"}))
    assert api.ok("PUT", f"{api.core('configmaps')}/one", config_map("one", {"a": "2"}))["data"] == {"a": "2"}


def test_put_refusals(api: Api) -> None:
    made = api.widget("one")
    assert (
        api.request(
            "PUT", f"{api.widgets}/absent", {**made, "metadata": {**made["metadata"], "name": "absent"}}
        ).status_code
        == 404
    )
    assert (
        api.request("PUT", f"{api.widgets}/one", {**made, "metadata": {**made["metadata"], "name": "two"}}).status_code
        == 400
    )
    assert (
        api.request("PUT", f"{api.widgets}/one", {**made, "metadata": {**made["metadata"], "uid": "x"}}).status_code
        == 409
    )


@pytest.mark.parametrize("kind", [MERGE, JSON_PATCH])
def test_nothing_changes_nothing(api: Api, kind: str) -> None:
    made = api.widget("same", {"note": "n"})
    body: object = {"spec": {"note": "n"}} if kind == MERGE else [{"op": "replace", "path": "/spec/note", "value": "n"}]
    assert api.patch(f"{api.widgets}/same", body, kind, fieldManager="other") == made
    assert api.ok("PUT", f"{api.widgets}/same", made) == made


def test_merge_patch(api: Api) -> None:
    api.widget("one", {"note": "n", "limits": {"a": "1", "b": "2"}, "plain": ["x"]})
    changed = api.patch(f"{api.widgets}/one", {"spec": {"limits": {"a": None, "c": "3"}, "plain": ["q"]}})
    assert changed["spec"]["limits"] == {"b": "2", "c": "3"}
    assert changed["spec"]["plain"] == ["q"]
    assert api.request("PATCH", f"{api.widgets}/one", [], MERGE).status_code == 400
    stale = {"metadata": {"resourceVersion": "1"}, "spec": {"note": "x"}}
    assert api.request("PATCH", f"{api.widgets}/one", stale, MERGE).status_code == 409
    assert api.request("PATCH", f"{api.widgets}/one", {"metadata": {"name": "two"}}, MERGE).status_code == 400
    assert api.request("PATCH", f"{api.widgets}/absent", {}, MERGE).status_code == 404


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/spec/note", "value": "other"},
        {"op": "remove", "path": "/spec/absent"},
        {"op": "bogus", "path": "/spec/note"},
        {"op": "add", "path": "/spec/plain/9", "value": "x"},
        {"op": "replace", "path": "/spec/absent/deep", "value": "x"},
    ],
)
def test_json_patch_that_does_not_fit(api: Api, operation: Json) -> None:
    api.widget("one", {"note": "n", "plain": ["a"]})
    answer = api.request("PATCH", f"{api.widgets}/one", [operation], JSON_PATCH)
    assert answer.status_code == 422
    assert (answer.json()["reason"], answer.json()["details"]) == ("Invalid", {})


def test_json_patch(api: Api) -> None:
    made = api.widget("one", {"note": "n", "plain": ["a"]})
    operations = [
        {"op": "test", "path": "/spec/note", "value": "n"},
        {"op": "add", "path": "/spec/plain/-", "value": "b"},
        {"op": "copy", "from": "/spec/note", "path": "/spec/color"},
        {"op": "replace", "path": "/spec/color", "value": "red"},
        {"op": "add", "path": "/metadata/labels", "value": {}},
        {"op": "add", "path": "/metadata/labels/a~1b", "value": "c"},
    ]
    changed = api.patch(f"{api.widgets}/one", operations, JSON_PATCH)
    assert (changed["spec"]["plain"], changed["spec"]["color"]) == (["a", "b"], "red")
    assert changed["metadata"]["labels"] == {"a/b": "c"}
    assert api.request("PATCH", f"{api.widgets}/one", {}, JSON_PATCH).status_code == 400
    assert made["metadata"]["uid"] == api.patch(f"{api.widgets}/one", [], JSON_PATCH)["metadata"]["uid"]


def test_patch_formats(api: Api) -> None:
    api.widget("one")
    assert api.request("PATCH", f"{api.widgets}/one", {}, STRATEGIC).status_code == 415
    assert api.request("PATCH", f"{api.widgets}/one", {}, "application/json").status_code == 415


def test_strict_patch(api: Api) -> None:
    api.widget("one")
    answer = api.request("PATCH", f"{api.widgets}/one", {"spec": {"junk": 1}}, MERGE, fieldValidation="Strict")
    assert answer.status_code == 422
    assert causes(answer) == [("FieldValueInvalid", "patch")]
    assert "kind" not in answer.json()["details"]


def test_strategic_merge_of_built_in_kinds(api: Api) -> None:
    owners = [{"apiVersion": "v1", "kind": "Namespace", "name": api.namespace, "uid": "u1"}]
    path = f"{api.core('configmaps')}/one"
    namespace = api.get(f"/api/v1/namespaces/{api.namespace}")
    owners[0]["uid"] = namespace["metadata"]["uid"]
    api.ok(
        "POST",
        api.core("configmaps"),
        config_map("one", {"a": "1", "b": "2"}, finalizers=["x.io/a"], ownerReferences=owners),
    )
    changed = api.patch(path, {"metadata": {"finalizers": ["x.io/b"]}, "data": {"a": None, "c": "3"}}, STRATEGIC)
    assert changed["metadata"]["finalizers"] == ["x.io/b", "x.io/a"]
    assert changed["data"] == {"b": "2", "c": "3"}
    gone = api.patch(path, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x.io/a"]}}, STRATEGIC)
    assert gone["metadata"]["finalizers"] == ["x.io/b"]
    replaced = api.patch(path, {"data": {"$patch": "replace", "z": "1"}}, STRATEGIC)
    assert replaced["data"] == {"z": "1"}
    owner = {"uid": owners[0]["uid"], "$patch": "delete"}
    assert (
        "ownerReferences"
        not in api.patch(path, {"metadata": {"ownerReferences": [owner], "finalizers": None}}, STRATEGIC)["metadata"]
    )


def test_rules_of_transition(api: Api) -> None:
    api.widget("one", {"note": "n", "pinned": "a", "fixed": "f"})
    pinned = api.request("PATCH", f"{api.widgets}/one", {"spec": {"pinned": "b"}}, MERGE)
    assert causes(pinned) == [("FieldValueInvalid", "spec")]
    assert "pinned cannot change" in pinned.json()["message"]
    fixed = api.request("PATCH", f"{api.widgets}/one", {"spec": {"fixed": "g"}}, MERGE)
    assert causes(fixed) == [("FieldValueInvalid", "spec.fixed")]
    assert api.patch(f"{api.widgets}/one", {"spec": {"note": "m"}})["spec"]["note"] == "m"


def test_status_is_apart(api: Api) -> None:
    api.widget("one", {"note": "n"})
    path = f"{api.widgets}/one"
    assert "status" not in api.patch(path, {"status": {"phase": "Up"}})
    changed = api.patch(f"{path}/status", {"status": {"phase": "Up"}, "spec": {"note": "x"}}, fieldManager="loop")
    assert (changed["status"], changed["spec"]["note"]) == ({"phase": "Up"}, "n")
    assert changed["metadata"]["generation"] == 1
    assert managed(changed, "loop", subresource="status") == {"f:status": {".": {}, "f:phase": {}}}
    labelled = api.patch(f"{path}/status", {"metadata": {"labels": {"a": "b"}}})
    assert labelled["metadata"]["resourceVersion"] == changed["metadata"]["resourceVersion"]
    kept = api.patch(path, {"spec": {"note": "y"}, "status": {"phase": "Down"}})
    assert kept["status"] == {"phase": "Up"}
    put = api.ok("PUT", f"{path}/status", {**kept, "status": {"phase": "Down"}, "spec": {"note": "z"}})
    assert (put["status"]["phase"], put["spec"]["note"]) == ("Down", "y")


def test_scale(api: Api) -> None:
    api.widget("one", {"note": "n", "replicas": 0})
    path = f"{api.widgets}/one/scale"
    scale = api.get(path)
    assert (scale["apiVersion"], scale["kind"]) == ("autoscaling/v1", "Scale")
    assert (scale["spec"], scale["status"]) == ({}, {"replicas": 0})
    assert set(scale["metadata"]) == {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}
    assert api.patch(path, {"spec": {"replicas": 3}}, fieldManager="scaler")["spec"] == {"replicas": 3}
    assert managed(api.get(f"{api.widgets}/one"), "scaler", subresource="scale") == {"f:spec": {"f:replicas": {}}}
    assert api.request("PUT", path, {**scale, "spec": {"replicas": 5}}).json()["details"]["kind"] == "widgets"
    api.patch(f"{api.widgets}/one/status", {"status": {"replicas": 2, "selector": "a=b"}})
    assert api.get(path)["status"] == {"replicas": 2, "selector": "a=b"}
    for replicas in (-1, 101):
        answer = api.request("PATCH", path, {"spec": {"replicas": replicas}}, MERGE)
        assert (answer.status_code, answer.json()["details"]["kind"]) == (422, "Widget")


def test_concurrent_versions_conflict_once(api: Api) -> None:
    made = api.widget("one")
    assert api.request("PUT", f"{api.widgets}/one", {**made, "spec": {"note": "1"}}).status_code == 200
    assert api.request("PUT", f"{api.widgets}/one", {**made, "spec": {"note": "2"}}).status_code == 409
    assert widget("one")["metadata"]["name"] == "one"


@pytest.mark.parametrize(
    ("query", "reason", "field"),
    [
        ({"dryRun": "Some"}, "FieldValueNotSupported", "dryRun"),
        ({"fieldValidation": "Maybe"}, "FieldValueNotSupported", "fieldValidation"),
        ({"force": "true"}, "FieldValueForbidden", "force"),
        ({"fieldManager": "x" * 129}, "FieldValueTooLong", "fieldManager"),
    ],
)
def test_bad_options(api: Api, query: dict[str, str], reason: str, field: str) -> None:
    api.widget("one")
    answer = api.request("PATCH", f"{api.widgets}/one", {"spec": {"note": "z"}}, MERGE, **query)
    assert answer.status_code == 422
    assert answer.json()["details"]["kind"] == "PatchOptions"
    assert causes(answer)[0] == (reason, field)
