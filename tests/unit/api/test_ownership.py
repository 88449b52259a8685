"""What a manager owns, read from managedFields."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from api.records.ownership import leaves, managers_of, merged, owned_by, value_at

RECORD: dict[str, Any] = {
    "metadata": {
        "name": "shop",
        "annotations": {"a": "1", "b": "2"},
        "finalizers": ["x", "y"],
        "managedFields": [
            {
                "manager": "setpoint-api",
                "operation": "Update",
                "fieldsV1": {
                    "f:metadata": {"f:annotations": {".": {}, "f:a": {}}, "f:finalizers": {".": {}, 'v:"x"': {}}},
                    "f:spec": {".": {}, "f:runtime": {}, "f:env": {}},
                },
            },
            {
                "manager": "setpoint-api",
                "operation": "Apply",
                "fieldsV1": {
                    "f:spec": {
                        "f:source": {"f:branch": {}},
                        "f:processes": {'k:{"name":"web"}': {".": {}, "f:command": {}}},
                    }
                },
            },
            {"manager": "setpoint-api", "subresource": "status", "fieldsV1": {"f:status": {"f:phase": {}}}},
            {"manager": "kubectl", "fieldsV1": {"f:spec": {"f:source": {"f:repository": {}}}}},
        ],
    },
    "spec": {
        "runtime": "node",
        "env": {"build": ["A"]},
        "source": {"branch": "main", "repository": "r"},
        "processes": [{"name": "web", "command": "run", "drainSeconds": 1}, {"name": "worker", "command": "w"}],
    },
    "status": {"phase": "running"},
}


def test_owned_is_what_both_entries_name_with_present_values() -> None:
    assert owned_by(RECORD, "setpoint-api") == {
        "metadata": {"annotations": {"a": "1"}, "finalizers": ["x"]},
        "spec": {
            "runtime": "node",
            "env": {"build": ["A"]},
            "source": {"branch": "main"},
            "processes": [{"name": "web", "command": "run"}],
        },
    }
    assert owned_by(RECORD, "kubectl") == {"spec": {"source": {"repository": "r"}}}
    assert owned_by(RECORD, "nobody") == {}


def test_owners_of_a_field() -> None:
    entries = RECORD["metadata"]["managedFields"]
    assert managers_of(entries, ("spec", "runtime")) == {"setpoint-api"}
    assert managers_of(entries, ("spec", "source", "repository")) == {"kubectl"}
    # Of an atomic whole each part has the same owner.
    assert managers_of(entries, ("spec", "env", "build")) == {"setpoint-api"}
    assert managers_of(entries, ("spec", "nothing")) == set()
    assert managers_of(None, ("spec",)) == set()


def test_a_field_that_is_gone_is_not_owned() -> None:
    record = {**RECORD, "spec": {}}
    assert "runtime" not in owned_by(record, "setpoint-api").get("spec", {})


json_objects = st.dictionaries(
    st.text(min_size=1, max_size=3),
    st.recursive(
        st.integers() | st.text(max_size=3),
        lambda inner: st.dictionaries(st.text(min_size=1, max_size=3), inner, min_size=1, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@given(json_objects, json_objects)
def test_what_is_merged_in_is_there_afterwards(base: dict[str, Any], change: dict[str, Any]) -> None:
    before = repr((base, change))
    result = merged(base, change)
    assert all(value_at(result, path) == value for path, value in leaves(change))
    assert repr((base, change)) == before
    assert merged(result, change) == result
