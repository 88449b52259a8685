"""Discovery, health, OpenAPI, reviews, and addresses that are not there."""

import pytest

from tests.contract.apiserver.client import GROUP, Api


def test_groups_and_resources(api: Api) -> None:
    assert api.get("/api")["versions"] == ["v1"]
    groups = {group["name"] for group in api.get("/apis")["groups"]}
    assert {"test.example.com", "apiextensions.k8s.io", "coordination.k8s.io", "authorization.k8s.io"} <= groups
    found = {r["name"]: r for r in api.get(GROUP)["resources"]}
    assert found["widgets"]["shortNames"] == ["wg"]
    assert found["widgets"]["categories"] == ["testing"]
    assert found["widgets/scale"] == {
        "name": "widgets/scale",
        "singularName": "",
        "namespaced": True,
        "group": "autoscaling",
        "version": "v1",
        "kind": "Scale",
        "verbs": ["get", "patch", "update"],
    }
    assert {"namespaces", "secrets", "configmaps", "events"} <= {r["name"] for r in api.get("/api/v1")["resources"]}


def test_health_needs_nobody(api: Api) -> None:
    for path in ("/healthz", "/readyz", "/livez"):
        answer = api.http.get(path, headers={"Authorization": ""})
        assert (answer.status_code, answer.text) == (200, "ok")
    assert api.get("/version")["major"] == "1"


@pytest.mark.parametrize(
    "path",
    ["/apis/none.example.com/v1/x", "/apis/test.example.com/v9/widgets", "/apis/test.example.com/v1/gadgets", "/x"],
)
def test_pages_that_are_not_there(api: Api, path: str) -> None:
    answer = api.request("GET", path)
    assert (answer.status_code, answer.text.strip()) == (404, "404 page not found")
    assert answer.headers["content-type"].startswith("text/plain")


def test_unknown_resource_of_a_built_in_group(api: Api) -> None:
    answer = api.request("GET", "/api/v1/gadgets")
    assert (answer.status_code, answer.json()["details"]) == (404, {})


def test_missing_object(api: Api) -> None:
    answer = api.request("GET", f"{api.widgets}/absent")
    assert answer.json()["details"] == {"name": "absent", "group": "test.example.com", "kind": "widgets"}


def test_methods(api: Api) -> None:
    answer = api.request("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
    assert (answer.status_code, answer.json()["reason"], answer.json()["details"]) == (405, "MethodNotAllowed", {})


def test_openapi_v3(api: Api) -> None:
    entry = api.get("/openapi/v3")["paths"]["apis/test.example.com/v1"]
    document = api.get(entry["serverRelativeURL"])
    schema = document["components"]["schemas"]["com.example.test.v1.Widget"]
    kind = {"group": "test.example.com", "kind": "Widget", "version": "v1"}
    assert schema["x-kubernetes-group-version-kind"] == [kind]
    assert schema["properties"]["spec"]["properties"]["note"]["description"] == "A remark."
    path = document["paths"][f"{GROUP}/namespaces/{{namespace}}/widgets/{{name}}"]
    assert "fieldValidation" in {parameter["name"] for parameter in path["patch"]["parameters"]}
    assert path["patch"]["x-kubernetes-group-version-kind"] == kind


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/api/v1/watch/namespaces"), ("GET", f"{GROUP}/watch/widgets"), ("PUT", "/api/v1/namespaces/x/finalize")],
)
def test_what_is_not_offered_is_not_there(api: Api, method: str, path: str) -> None:
    assert api.request(method, path, {"kind": "Namespace", "apiVersion": "v1"}).status_code == 404


def test_openapi_v2(api: Api) -> None:
    assert api.get("/openapi/v2")["swagger"] == "2.0"


def test_reviews(api: Api) -> None:
    attributes = {"verb": "get", "resource": "secrets", "namespace": "default"}
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = api.ok("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body)
    assert answer["status"]["allowed"] is True
    who = api.ok(
        "POST",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"},
    )
    assert "system:authenticated" in who["status"]["userInfo"]["groups"]
