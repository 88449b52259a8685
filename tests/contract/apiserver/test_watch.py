"""Watches: where they start, what they tell, how they end."""

import json
import threading

import pytest

from tests.contract.apiserver.client import JSON_PATCH, Api, causes


def test_existing_objects_come_first(api: Api) -> None:
    api.widget("a")
    with api.watching(api.widgets) as watch:
        assert watch.answer.headers["content-type"] == "application/json"
        assert watch.answer.headers["transfer-encoding"] == "chunked"
        event = watch.next()
        assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "a")
        api.widget("b")
        assert watch.next()["object"]["metadata"]["name"] == "b"


def test_from_a_version(api: Api) -> None:
    first = api.widget("a")
    api.patch(f"{api.widgets}/a", {"spec": {"note": "x"}})
    api.ok("DELETE", f"{api.widgets}/a")
    with api.watching(api.widgets, resourceVersion=first["metadata"]["resourceVersion"]) as watch:
        changed, gone = watch.next(), watch.next()
    assert (changed["type"], changed["object"]["spec"]["note"]) == ("MODIFIED", "x")
    assert (gone["type"], gone["object"]["spec"]["note"]) == ("DELETED", "x")
    assert int(gone["object"]["metadata"]["resourceVersion"]) > int(changed["object"]["metadata"]["resourceVersion"])


def test_timeout_ends_cleanly(api: Api) -> None:
    with api.watching(api.widgets, timeoutSeconds="1") as watch:
        assert watch.rest() == []


def test_selection_is_entered_and_left(api: Api) -> None:
    made = api.widget("a", labels={"x": "1"})
    version = made["metadata"]["resourceVersion"]
    with api.watching(api.widgets, labelSelector="x=2", resourceVersion=version) as watch:
        api.patch(f"{api.widgets}/a", {"metadata": {"labels": {"x": "2"}}})
        assert watch.next()["type"] == "ADDED"
        api.patch(f"{api.widgets}/a", {"spec": {"note": "z"}})
        assert watch.next()["type"] == "MODIFIED"
        left = api.patch(f"{api.widgets}/a", {"metadata": {"labels": {"x": "3"}}})
        event = watch.next()
    assert (event["type"], event["object"]["metadata"]["labels"]) == ("DELETED", {"x": "2"})
    assert event["object"]["metadata"]["resourceVersion"] == left["metadata"]["resourceVersion"]
    with api.watching(api.widgets, labelSelector="x=2", resourceVersion=version) as again:
        assert [again.next()["type"] for _ in range(3)] == ["ADDED", "MODIFIED", "DELETED"]


def test_field_selection(api: Api) -> None:
    api.widget("a", {"note": "n", "color": "red"})
    with api.watching(api.widgets, fieldSelector="spec.color=blue", timeoutSeconds="5") as watch:
        api.patch(f"{api.widgets}/a", {"spec": {"color": "blue"}})
        assert watch.next()["type"] == "ADDED"


def test_one_object_by_name(api: Api) -> None:
    api.widget("a")
    api.widget("b")
    with api.watching(f"{api.widgets}/b") as watch:
        assert watch.next()["object"]["metadata"]["name"] == "b"


def test_initial_events_end_with_a_bookmark(api: Api) -> None:
    api.widget("a")
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    with api.watching(api.widgets, **query) as watch:
        assert watch.next()["type"] == "ADDED"
        mark = watch.next()
    assert mark["type"] == "BOOKMARK"
    assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert mark["object"]["metadata"]["resourceVersion"]
    answer = api.request("GET", api.widgets, watch="true", sendInitialEvents="true")
    assert answer.status_code == 422
    assert causes(answer)[0][1] == "resourceVersionMatch"


def test_a_future_version_is_silence(api: Api) -> None:
    made = api.widget("a")
    future = str(int(made["metadata"]["resourceVersion"]) + 100_000)
    with api.watching(api.widgets, resourceVersion=future, timeoutSeconds="1") as watch:
        assert watch.rest() == []


@pytest.mark.parametrize("flag", ["true", "1", "True"])
def test_watch_flags(api: Api, flag: str) -> None:
    with api.http.stream("GET", api.widgets, params={"watch": flag, "timeoutSeconds": "1"}) as answer:
        assert answer.headers["transfer-encoding"] == "chunked"


def test_deletion_with_a_finalizer_is_told_as_it_was(api: Api) -> None:
    made = api.widget("a", finalizers=["x.io/y"])
    with api.watching(api.widgets, resourceVersion=made["metadata"]["resourceVersion"]) as watch:
        api.ok("DELETE", f"{api.widgets}/a")
        marked = watch.next()
        assert (marked["type"], marked["object"]["metadata"]["generation"]) == ("MODIFIED", 2)
        answer = api.patch(f"{api.widgets}/a", [{"op": "remove", "path": "/metadata/finalizers"}], JSON_PATCH)
        gone = watch.next()
    assert "finalizers" not in answer["metadata"]
    assert (gone["type"], gone["object"]["metadata"]["finalizers"]) == ("DELETED", ["x.io/y"])
    assert int(gone["object"]["metadata"]["resourceVersion"]) > int(marked["object"]["metadata"]["resourceVersion"])


def test_tables_are_headed_once(api: Api) -> None:
    api.widget("a")
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    with api.http.stream("GET", api.widgets, params={"watch": "true"}, headers=accept) as answer:
        lines = answer.iter_lines()
        first = json.loads(next(lines))
        api.widget("b")
        second = json.loads(next(lines))
    assert first["object"]["columnDefinitions"][0]["name"] == "Name"
    assert first["object"]["rows"][0]["cells"][0] == "a"
    assert second["object"]["columnDefinitions"] is None


def test_many_watchers_see_the_same_in_the_same_order(api: Api) -> None:
    version = api.get(api.widgets)["metadata"]["resourceVersion"]
    seen: list[list[str]] = []

    def follow() -> None:
        with api.watching(api.widgets, resourceVersion=version) as watch:
            seen.append([watch.next()["object"]["metadata"]["resourceVersion"] for _ in range(20)])

    threads = [threading.Thread(target=follow) for _ in range(5)]
    for thread in threads:
        thread.start()
    for number in range(20):
        api.widget(f"w{number}")
    for thread in threads:
        thread.join(20)
    assert len(seen) == 5
    assert all(versions == seen[0] for versions in seen)
    assert [int(v) for v in seen[0]] == sorted(int(v) for v in seen[0])
