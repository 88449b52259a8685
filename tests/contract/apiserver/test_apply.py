"""Server-side apply: ownership, conflicts, removal."""

from typing import Any

import pytest

from tests.contract.apiserver.client import APPLY, JSON_PATCH, MERGE, Api, Json, managed, widget


def config(name: str, spec: Json, **metadata: Any) -> Json:
    return widget(name, spec, **metadata)


def at(api: Api, name: str = "one") -> str:
    return f"{api.widgets}/{name}"


def test_apply_makes_and_owns_what_was_sent(api: Api) -> None:
    answer = api.request("PATCH", at(api), config("one", {"note": "n", "limits": {"a": "1"}}), APPLY, fieldManager="me")
    assert answer.status_code == 201
    assert answer.json()["spec"]["replicas"] == 1
    assert managed(answer.json(), "me", "Apply") == {"f:spec": {"f:note": {}, "f:limits": {"f:a": {}}}}
    again = api.request("PATCH", at(api), config("one", {"note": "n", "limits": {"a": "1"}}), APPLY, fieldManager="me")
    assert (again.status_code, again.json()) == (200, answer.json())


def test_keyed_lists_sets_and_atomic_values(api: Api) -> None:
    spec = {"note": "n", "ports": [{"port": 1, "label": "x"}], "tags": ["a"], "plain": ["p"], "atomic": {"a": "1"}}
    made = api.apply(at(api), config("one", spec), "me")
    fields = managed(made, "me")
    assert fields is not None
    assert fields["f:spec"]["f:ports"] == {'k:{"port":1,"protocol":"TCP"}': {".": {}, "f:port": {}, "f:label": {}}}
    assert fields["f:spec"]["f:tags"] == {'v:"a"': {}}
    assert fields["f:spec"]["f:plain"] == {}
    assert fields["f:spec"]["f:atomic"] == {}


def test_two_appliers_merge_lists(api: Api) -> None:
    api.apply(at(api), config("one", {"note": "n", "tags": ["a"], "ports": [{"port": 1}]}), "me")
    both = api.apply(at(api), config("one", {"tags": ["b"], "ports": [{"port": 2}]}), "you")
    assert sorted(both["spec"]["tags"]) == ["a", "b"]
    assert [port["port"] for port in both["spec"]["ports"]] in ([1, 2], [2, 1])
    left = api.apply(at(api), config("one", {"note": "n"}), "me")
    assert left["spec"]["tags"] == ["b"]
    assert [port["port"] for port in left["spec"]["ports"]] == [2]


def test_same_value_is_shared_another_conflicts(api: Api) -> None:
    api.apply(at(api), config("one", {"note": "n", "limits": {"a": "1"}}), "me")
    shared = api.apply(at(api), config("one", {"limits": {"a": "1"}}), "you")
    assert managed(shared, "you") == managed(shared, "you") != None  # noqa: E711
    answer = api.request("PATCH", at(api), config("one", {"limits": {"a": "2"}}), APPLY, fieldManager="third")
    assert answer.status_code == 409
    details = answer.json()["details"]
    assert set(details) == {"causes"}
    assert {(cause["reason"], cause["field"]) for cause in details["causes"]} == {
        ("FieldManagerConflict", ".spec.limits.a")
    }
    forced = api.apply(at(api), config("one", {"limits": {"a": "2"}}), "third", force="true")
    assert forced["spec"]["limits"] == {"a": "2"}
    assert managed(forced, "you") is None
    assert managed(forced, "me") == {"f:spec": {"f:note": {}}}


def test_conflict_in_a_list_item(api: Api) -> None:
    api.apply(at(api), config("one", {"note": "n", "ports": [{"port": 1, "label": "x"}]}), "me")
    answer = api.request(
        "PATCH", at(api), config("one", {"ports": [{"port": 1, "label": "y"}]}), APPLY, fieldManager="you"
    )
    assert answer.json()["details"]["causes"][0]["field"] == '.spec.ports[port=1,protocol="TCP"].label'


def test_update_takes_the_leaf(api: Api) -> None:
    api.apply(at(api), config("one", {"note": "n"}), "me")
    changed = api.patch(at(api), {"spec": {"note": "m"}}, fieldManager="editor")
    assert managed(changed, "me") is None
    assert managed(changed, "editor") == {"f:spec": {"f:note": {}}}
    conflict = api.request("PATCH", at(api), config("one", {"note": "n"}), APPLY, fieldManager="me")
    assert conflict.status_code == 409


def test_left_out_leaves_are_removed_with_empty_parents(api: Api) -> None:
    api.apply(at(api), config("one", {"note": "n", "limits": {"a": "1", "b": "2"}, "tpl": {"image": "x"}}), "me")
    fewer = api.apply(at(api), config("one", {"note": "n", "limits": {"a": "1"}}), "me")
    assert fewer["spec"]["limits"] == {"a": "1"}
    assert "tpl" not in fewer["spec"]
    none = api.apply(at(api), config("one", {"note": "n"}), "me")
    assert "limits" not in none["spec"]


def test_left_out_leaf_stays_with_another_owner(api: Api) -> None:
    api.apply(at(api), config("one", {"note": "n", "limits": {"a": "1"}}), "me")
    api.apply(at(api), config("one", {"limits": {"a": "1"}}), "you")
    assert api.apply(at(api), config("one", {"note": "n"}), "me")["spec"]["limits"] == {"a": "1"}


def test_labels_and_finalizers(api: Api) -> None:
    made = api.apply(at(api), config("one", {"note": "n"}, labels={"a": "b"}, finalizers=["x.io/y"]), "me")
    fields = managed(made, "me")
    assert fields is not None
    assert fields["f:metadata"] == {"f:labels": {"f:a": {}}, "f:finalizers": {'v:"x.io/y"': {}}}
    assert "finalizers" not in api.apply(at(api), config("one", {"note": "n"}), "me")["metadata"]


def test_status_has_an_entry_of_its_own(api: Api) -> None:
    api.apply(at(api), config("one", {"note": "n"}), "me")
    body = {**config("one", {}), "status": {"phase": "Up"}}
    changed = api.ok("PATCH", f"{at(api)}/status", body, APPLY, fieldManager="me")
    assert managed(changed, "me", "Apply", "status") == {"f:status": {"f:phase": {}}}
    assert managed(changed, "me", "Apply") == {"f:spec": {"f:note": {}}}
    main = api.apply(at(api), {**config("one", {"note": "n"}), "status": {"phase": "Down"}}, "me")
    assert main["status"] == {"phase": "Up"}


def test_reset_and_before_first_apply(api: Api) -> None:
    api.widget("one", {"note": "n"})
    reset = api.patch(at(api), {"metadata": {"managedFields": [{}]}})
    assert "managedFields" not in reset["metadata"]
    applied = api.apply(at(api), config("one", {"note": "n"}), "me")
    assert managed(applied, "before-first-apply", "Update") == {"f:spec": {".": {}, "f:note": {}, "f:replicas": {}}}
    assert managed(applied, "me", "Apply") == {"f:spec": {"f:note": {}}}


def test_managers_may_be_rewritten_by_json_patch(api: Api) -> None:
    made = api.ok("POST", api.widgets, config("one", {"note": "n"}), fieldManager="kubectl-client-side-apply")
    entry = {**made["metadata"]["managedFields"][0], "manager": "kubectl", "operation": "Apply"}
    operations = [
        {"op": "replace", "path": "/metadata/managedFields", "value": [entry]},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": made["metadata"]["resourceVersion"]},
    ]
    changed = api.patch(at(api), operations, JSON_PATCH)
    assert [(e["manager"], e["operation"]) for e in changed["metadata"]["managedFields"]] == [("kubectl", "Apply")]


def test_yaml_is_yaml_1_1(api: Api) -> None:
    body = b"apiVersion: test.example.com/v1\nkind: Widget\nmetadata: {name: one}\n"
    body += b"spec: {note: text, free: {a: yes, b: y, c: 2001-01-01}}\n"
    made = api.ok("PATCH", at(api), body, APPLY, fieldManager="me")
    assert made["spec"]["free"] == {"a": True, "b": True, "c": "2001-01-01"}


@pytest.mark.parametrize(
    ("body", "query", "status"),
    [
        (config("one", {"note": "n"}), {}, 422),
        (config("one", {"note": "n"}, managedFields=[{"manager": "x"}]), {"fieldManager": "me"}, 400),
        (config("two", {"note": "n"}), {"fieldManager": "me"}, 400),
        ({"metadata": {"name": "one"}, "spec": {"note": "n"}}, {"fieldManager": "me"}, 400),
        (config("one", {"note": "n", "ports": [{"port": 1}, {"port": 1}]}), {"fieldManager": "me"}, 400),
    ],
)
def test_refusals(api: Api, body: Json, query: dict[str, str], status: int) -> None:
    answer = api.request("PATCH", at(api), body, APPLY, **query)
    assert answer.status_code == status, answer.text


def test_stale_version_conflicts(api: Api) -> None:
    made = api.apply(at(api), config("one", {"note": "n"}), "me")
    api.patch(at(api), {"spec": {"color": "red"}})
    body = config("one", {"note": "m"}, resourceVersion=made["metadata"]["resourceVersion"])
    assert api.request("PATCH", at(api), body, APPLY, fieldManager="me").status_code == 409


def test_put_without_managed_fields_keeps_them(api: Api) -> None:
    made = api.apply(at(api), config("one", {"note": "n"}), "me")
    sent = {**made, "metadata": {k: v for k, v in made["metadata"].items() if k != "managedFields"}}
    changed = api.ok("PUT", at(api), {**sent, "spec": {**made["spec"], "color": "red"}}, fieldManager="you")
    assert managed(changed, "me") == {"f:spec": {"f:note": {}}}
    assert managed(changed, "you") == {"f:spec": {"f:color": {}}}


def test_dry_run_apply(api: Api) -> None:
    api.apply(at(api), config("one", {"note": "n"}), "me", dryRun="All")
    assert api.gone(at(api))
    api.widget("one", {"note": "n"})
    assert api.apply(at(api), config("one", {"note": "m"}), "me", dryRun="All", force="true")["spec"]["note"] == "m"
    assert api.get(at(api))["spec"]["note"] == "n"
    assert api.request("PATCH", at(api), {"spec": {"note": "z"}}, MERGE, dryRun="All").json()["spec"]["note"] == "z"
    assert api.get(at(api))["spec"]["note"] == "n"
