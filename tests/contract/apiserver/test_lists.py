"""Lists: selectors, paging, versions, metadata, Tables."""

import pytest

from tests.contract.apiserver.client import Api, causes, config_map, eventually, widget


def names(listed: dict[str, object]) -> list[str]:
    items: list[dict[str, dict[str, str]]] = listed["items"]  # type: ignore[assignment]
    return [item["metadata"]["name"] for item in items]


def test_list_shape(api: Api) -> None:
    api.widget("b")
    api.widget("a")
    listed = api.get(api.widgets)
    assert (listed["kind"], listed["apiVersion"], names(listed)) == ("WidgetList", "test.example.com/v1", ["a", "b"])
    assert listed["metadata"]["continue"] == ""
    assert listed["items"][0]["kind"] == "Widget"
    everywhere = api.get("/apis/test.example.com/v1/widgets", labelSelector="!none", limit="500")
    assert {"a", "b"} <= set(names(everywhere))


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("app=x", ["a", "b"]),
        ("app==x,tier!=web", ["b"]),
        ("tier in (web, db)", ["a", "b"]),
        ("tier notin (web)", ["b", "c"]),
        ("!app", ["c"]),
        ("app", ["a", "b"]),
        ("number>3", ["b"]),
    ],
)
def test_label_selectors(api: Api, selector: str, found: list[str]) -> None:
    api.widget("a", labels={"app": "x", "tier": "web", "number": "3"})
    api.widget("b", labels={"app": "x", "tier": "db", "number": "4"})
    api.widget("c")
    assert names(api.get(api.widgets, labelSelector=selector)) == found


def test_field_selectors(api: Api) -> None:
    api.widget("a", {"note": "n", "color": "red"})
    api.widget("b", {"note": "n", "color": "blue"})
    assert names(api.get(api.widgets, fieldSelector="metadata.name=b")) == ["b"]
    assert names(api.get(api.widgets, fieldSelector="metadata.name!=b")) == ["a"]
    assert names(api.get(api.widgets, fieldSelector="spec.color=red")) == ["a"]
    assert api.request("GET", api.widgets, fieldSelector="spec.note=n").status_code == 400
    assert api.request("GET", api.widgets, labelSelector="a b").status_code == 400


def test_pages_are_of_one_moment(api: Api) -> None:
    for name in "abcde":
        api.widget(name)
    first = api.get(api.widgets, limit="2")
    assert (names(first), first["metadata"]["remainingItemCount"]) == (["a", "b"], 3)
    api.widget("bb")
    api.patch(f"{api.widgets}/c", {"spec": {"note": "changed"}})
    api.ok("DELETE", f"{api.widgets}/d")
    second = api.get(api.widgets, limit="2", **{"continue": first["metadata"]["continue"]})
    assert names(second) == ["c", "d"]
    assert second["items"][0]["spec"]["note"] == "n"
    assert second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
    last = api.get(api.widgets, limit="2", **{"continue": second["metadata"]["continue"]})
    assert (names(last), last["metadata"]["continue"]) == (["e"], "")
    assert "remainingItemCount" not in last["metadata"]
    exact = api.get(api.widgets, resourceVersion=first["metadata"]["resourceVersion"], resourceVersionMatch="Exact")
    assert names(exact) == list("abcde")


def test_selected_pages_count_nothing(api: Api) -> None:
    for name in "abc":
        api.widget(name, labels={"x": "y"})
    assert "remainingItemCount" not in api.get(api.widgets, limit="1", labelSelector="x=y")["metadata"]


@pytest.mark.parametrize(
    "query",
    [
        {"resourceVersionMatch": "Exact"},
        {"resourceVersionMatch": "Exact", "resourceVersion": "0"},
        {"resourceVersionMatch": "Roughly", "resourceVersion": "1"},
    ],
)
def test_bad_versions(api: Api, query: dict[str, str]) -> None:
    answer = api.request("GET", api.widgets, **query)
    assert (answer.status_code, answer.json()["details"]["kind"]) == (422, "ListOptions")
    assert causes(answer)


def test_continue_is_checked(api: Api) -> None:
    assert api.request("GET", api.widgets, **{"continue": "garbage"}).status_code == 400
    api.widget("a")
    api.widget("b")
    token = api.get(api.widgets, limit="1")["metadata"]["continue"]
    assert api.request("GET", api.widgets, resourceVersion="5", **{"continue": token}).status_code == 400


def test_a_future_version_is_waited_for_in_vain(api: Api) -> None:
    made = api.widget("a")
    future = str(int(made["metadata"]["resourceVersion"]) + 1_000_000)
    answer = api.request("GET", f"{api.widgets}/a", resourceVersion=future)
    assert (answer.status_code, answer.json()["reason"]) == (504, "Timeout")
    assert answer.json()["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"
    assert api.get(api.widgets, resourceVersion=made["metadata"]["resourceVersion"])["items"]


def test_table(api: Api) -> None:
    api.widget("a", {"note": "n", "tags": ["x", "u"]})
    api.patch(f"{api.widgets}/a/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    table = api.table(api.widgets)
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert [c["name"] for c in table["columnDefinitions"]] == ["Name", "Replicas", "Ready", "Tags", "Age"]
    assert table["columnDefinitions"][0]["format"] == "name"
    assert all(column["description"] for column in table["columnDefinitions"])
    cells = table["rows"][0]["cells"]
    assert cells[:4] == ["a", 1, "True", '["x","u"]']
    assert cells[4].endswith("s")
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    assert api.table(api.widgets, includeObject="None")["rows"][0]["object"] is None
    assert api.table(api.widgets, includeObject="Object")["rows"][0]["object"]["spec"]["note"] == "n"
    assert api.table(f"{api.widgets}/a")["rows"][0]["cells"][0] == "a"
    api.widget("b")
    assert api.table(f"{api.widgets}/b")["rows"][0]["cells"][2] is None


def test_metadata_only(api: Api) -> None:
    api.widget("a", labels={"x": "y"})
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    listed = api.table(api.widgets, accept)
    assert listed["kind"] == "PartialObjectMetadataList"
    assert listed["items"][0]["metadata"]["labels"] == {"x": "y"}
    assert "spec" not in listed["items"][0]
    one = api.table(f"{api.widgets}/a", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
    assert one["kind"] == "PartialObjectMetadata"


def test_accept(api: Api) -> None:
    assert api.http.get(api.widgets, headers={"Accept": "*/*"}).status_code == 200
    assert api.http.get(api.widgets, headers={"Accept": "image/png"}).status_code == 406
    protobuf = "application/vnd.kubernetes.protobuf,application/json"
    assert api.http.get(api.widgets, headers={"Accept": protobuf}).headers["content-type"] == "application/json"


def test_built_in_tables(api: Api) -> None:
    api.ok("POST", api.core("configmaps"), config_map("a", {"x": "1", "y": "2"}))
    table = api.table(api.core("configmaps"), fieldSelector="metadata.name=a")
    assert table["rows"][0]["cells"][:2] == ["a", 2]
    secrets = api.table(api.core("secrets"))
    assert [c["name"] for c in secrets["columnDefinitions"]] == ["Name", "Type", "Data", "Age"]
    events = api.table(api.core("events"))
    wanted = ["Last Seen", "Type", "Reason", "Object", "Subobject", "Source", "Message", "First Seen", "Count", "Name"]
    assert [c["name"] for c in events["columnDefinitions"]] == wanted


def test_deletecollection(api: Api) -> None:
    api.widget("a", labels={"x": "y"})
    api.widget("b")
    answer = api.ok("DELETE", api.widgets, labelSelector="x=y")
    assert names(answer) == ["a"]
    eventually(lambda: names(api.get(api.widgets)) == ["b"])
    assert widget("a")
