"""POST: defaults, pruning, validation, what is refused and how."""

import pytest

from tests.contract.apiserver.client import Api, causes, config_map, managed, widget


def test_defaults_come_and_system_fields_are_the_servers(api: Api) -> None:
    sent = widget("one", {"note": "n", "tpl": {}}, uid="mine", generation=7, creationTimestamp="2001-01-01T00:00:00Z")
    sent["status"] = {"phase": "Up"}
    made = api.ok("POST", api.widgets, sent)
    assert made["spec"] == {"note": "n", "replicas": 1, "tpl": {"image": "none", "size": 3}}
    assert made["metadata"]["generation"] == 1
    assert made["metadata"]["uid"] != "mine"
    assert not made["metadata"]["creationTimestamp"].startswith("2001")
    assert "status" not in made


def test_missing_spec_is_not_defaulted(api: Api) -> None:
    sent = {"apiVersion": "test.example.com/v1", "kind": "Widget", "metadata": {"name": "none"}}
    assert "spec" not in api.ok("POST", api.widgets, sent)
    assert "spec" not in api.ok("POST", api.widgets, {**sent, "metadata": {"name": "null"}, "spec": None})


def test_nulls(api: Api) -> None:
    made = api.widget("nulls", {"note": "n", "replicas": None, "color": None, "maybe": None})
    assert made["spec"] == {"note": "n", "replicas": 1, "maybe": None}


def test_unknown_fields_are_pruned_with_warnings(api: Api) -> None:
    sent = widget("warned", {"note": "n", "junk": 1, "ports": [{"port": 1, "extra": True}]})
    answer = api.request("POST", api.widgets, sent)
    assert answer.status_code == 201
    assert "junk" not in answer.json()["spec"]
    told = answer.headers.get_list("warning")
    assert r'299 - "unknown field \"spec.junk\""' in told
    assert r'299 - "unknown field \"spec.ports[0].extra\""' in told
    ignored = api.request("POST", api.widgets, widget("quiet", {"note": "n", "junk": 1}), fieldValidation="Ignore")
    assert ignored.status_code == 201
    assert "warning" not in ignored.headers


@pytest.mark.parametrize(
    ("field", "value"), [("spec", {"note": "n", "junk": 1}), ("metadata", {"name": "x", "junk": 1}), ("junk", 1)]
)
def test_unknown_fields_are_refused_when_strict(api: Api, field: str, value: object) -> None:
    answer = api.request("POST", api.widgets, {**widget("x"), field: value}, fieldValidation="Strict")
    assert answer.status_code == 400
    assert answer.json()["reason"] == "BadRequest"
    assert "unknown field" in answer.json()["message"]


def test_duplicate_keys_are_refused_when_strict(api: Api) -> None:
    raw = b'{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"name":"x"},"spec":{"note":"a","note":"b"}}'
    assert api.request("POST", api.widgets, raw, fieldValidation="Strict").status_code == 400
    assert "duplicate field" in api.request("POST", api.widgets, raw).headers["warning"]


@pytest.mark.parametrize(
    ("spec", "reason", "field"),
    [
        ({"note": 1}, "FieldValueTypeInvalid", "spec.note"),
        ({"note": "n", "color": "pink"}, "FieldValueNotSupported", "spec.color"),
        ({}, "FieldValueRequired", "spec.note"),
        ({"note": "n" * 201}, "FieldValueTooLong", "spec.note"),
        ({"note": "n", "tags": ["a", "b", "a"]}, "FieldValueDuplicate", "spec.tags[2]"),
        ({"note": "n", "tags": list("abcdef")}, "FieldValueTooMany", "spec.tags"),
        ({"note": "n", "code": "A"}, "FieldValueInvalid", "spec.code"),
        ({"note": "n", "replicas": -1}, "FieldValueInvalid", "spec.replicas"),
        ({"note": "n", "replicas": 1.5}, "FieldValueTypeInvalid", "spec.replicas"),
        ({"note": "n", "when": "yesterday"}, "FieldValueTypeInvalid", "spec.when"),
        ({"note": "n", "port": True}, "FieldValueTypeInvalid", "spec.port"),
        ({"note": "n", "ports": [{"port": 1}, {"port": 1}]}, "FieldValueDuplicate", "spec.ports[1]"),
        ({"note": "n", "limits": {"x" * 20: "1"}}, "FieldValueInvalid", "spec"),
    ],
)
def test_schema_violations(api: Api, spec: dict[str, object], reason: str, field: str) -> None:
    answer = api.request("POST", api.widgets, widget("bad", spec))
    assert answer.status_code == 422, answer.text
    body = answer.json()
    assert (body["reason"], body["details"]["kind"], body["details"]["group"]) == (
        "Invalid",
        "Widget",
        "test.example.com",
    )
    assert (reason, field) in causes(answer)


def test_whole_floats_are_integers(api: Api) -> None:
    raw = b'{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"name":"f"},'
    raw += b'"spec":{"note":"n","replicas":2.0}}'
    assert b'"replicas":2,' in api.request("POST", api.widgets, raw).content.replace(b"}", b",")


@pytest.mark.parametrize("name", ["Upper", "under_score", "-dash", "x" * 254, "a..b"])
def test_bad_names(api: Api, name: str) -> None:
    answer = api.request("POST", api.widgets, widget(name))
    assert answer.status_code == 422
    assert causes(answer) == [("FieldValueInvalid", "metadata.name")]


def test_names_that_are_fine(api: Api) -> None:
    for name in ("x" * 253, "1a.b-c.2"):
        assert api.widget(name)["metadata"]["name"] == name
    generated = api.ok("POST", api.widgets, {**widget("x"), "metadata": {"generateName": "gen-"}})
    assert generated["metadata"]["name"].startswith("gen-")


def test_no_name(api: Api) -> None:
    answer = api.request("POST", api.widgets, {**widget("x"), "metadata": {}})
    assert causes(answer)[0] == ("FieldValueRequired", "metadata.name")


def test_bad_metadata(api: Api) -> None:
    labels = api.request("POST", api.widgets, widget("x", labels={"a": "no spaces"}))
    assert causes(labels) == [("FieldValueInvalid", "metadata.labels")]
    assert api.request("POST", api.widgets, widget("x", labels={"a": 1})).status_code == 400
    long = api.request("POST", api.widgets, widget("x", annotations={"a": "x" * (257 * 1024)}))
    assert causes(long)[0] == ("FieldValueTooLong", "metadata.annotations")
    spaced = api.request("POST", api.widgets, widget("x", finalizers=["a b"]))
    assert spaced.status_code == 422
    unqualified = api.request("POST", api.widgets, widget("x", finalizers=["plain"]))
    assert unqualified.status_code == 201
    assert "warning" in unqualified.headers
    api.patch(f"{api.widgets}/x", {"metadata": {"finalizers": None}})


def test_already_exists(api: Api) -> None:
    api.widget("twice")
    answer = api.request("POST", api.widgets, widget("twice"))
    assert answer.status_code == 409
    assert answer.json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'widgets.test.example.com "twice" already exists',
        "reason": "AlreadyExists",
        "details": {"name": "twice", "group": "test.example.com", "kind": "widgets"},
        "code": 409,
    }


def test_absent_namespace(api: Api) -> None:
    path = "/apis/test.example.com/v1/namespaces/nowhere-at-all/widgets"
    answer = api.request("POST", path, widget("x"))
    assert answer.status_code == 404
    assert answer.json()["details"] == {"name": "nowhere-at-all", "kind": "namespaces"}
    assert api.get(path)["items"] == []


def test_wrong_identity(api: Api) -> None:
    assert api.request("POST", api.widgets, widget("x", namespace="other")).status_code == 400
    assert api.request("POST", api.widgets, {**widget("x"), "apiVersion": "test.example.com/v2"}).status_code == 400
    assert causes(api.request("POST", api.widgets, {**widget("x"), "kind": "Gadget"})) == [
        ("FieldValueInvalid", "kind")
    ]


def test_dry_run(api: Api) -> None:
    made = api.ok("POST", api.widgets, widget("dry"), dryRun="All")
    assert made["metadata"]["generation"] == 1
    assert "resourceVersion" not in made["metadata"]
    assert api.gone(f"{api.widgets}/dry")


def test_bodies_that_cannot_be_read(api: Api) -> None:
    assert api.request("POST", api.widgets, b"{").status_code == 400
    assert api.request("POST", api.widgets, b"[]").status_code == 400
    assert api.request("POST", api.widgets, b"{}", kind="text/plain").status_code == 415
    yaml = b"apiVersion: test.example.com/v1\nkind: Widget\nmetadata: {name: yaml}\nspec: {note: 'yes'}\n"
    assert api.ok("POST", api.widgets, yaml, kind="application/yaml")["spec"]["note"] == "yes"


def test_update_owns_defaults_and_containers(api: Api) -> None:
    made = api.ok("POST", api.widgets, widget("owned", {"note": "n", "limits": {"a": "1"}}), fieldManager="me")
    assert managed(made, "me", "Update") == {
        "f:spec": {".": {}, "f:note": {}, "f:limits": {".": {}, "f:a": {}}, "f:replicas": {}}
    }


def test_manager_is_the_user_agent(api: Api) -> None:
    assert managed(api.widget("agent"), "contract") is not None


def test_built_in_lists_have_plain_items(api: Api) -> None:
    api.ok("POST", api.core("configmaps"), config_map("a"))
    listed = api.get(api.core("configmaps"), fieldSelector="metadata.name=a")
    assert listed["kind"] == "ConfigMapList"
    assert "kind" not in listed["items"][0]
