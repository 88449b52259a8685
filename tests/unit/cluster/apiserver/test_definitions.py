"""Definitions: who gets which name, what is left out of a schema, what is wrong with a part."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.apiserver.kinds.accepted_names import NONE, Verdict, judge, taken
from cluster.apiserver.kinds.builtin.json_schema import drop_empty, schema_of_schemas
from cluster.apiserver.kinds.custom import resource_of
from cluster.apiserver.kinds.definition_parts import selectable_errors
from cluster.apiserver.schema.normalize import normalize

Names = dict[str, Any]
GADGETS: Names = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"}
OTHERS: Names = {"plural": "others", "singular": "other", "kind": "Other", "listKind": "OtherList"}
NAME = st.sampled_from("abc")
SOME_NAMES = st.fixed_dictionaries(
    {"plural": NAME, "kind": NAME},
    optional={"singular": NAME, "listKind": NAME, "shortNames": st.lists(NAME, min_size=1, unique=True)},
)


def test_names_that_are_free() -> None:
    wanted = {**GADGETS, "shortNames": ["gd"], "categories": ["all"]}
    assert judge(wanted, {}, taken([OTHERS])) == Verdict(wanted)


@pytest.mark.parametrize(
    ("changed", "kept", "reason", "message"),
    [
        ({"plural": "gadgets"}, {"plural": ""}, "PluralConflict", '"gadgets" is already in use'),
        ({"singular": "gadgets"}, {"singular": None}, "SingularConflict", '"gadgets" is already in use'),
        (
            {"shortNames": ["gadget", "free", "gadgets"]},
            {"shortNames": None},
            "ShortNamesConflict",
            '["gadget" is already in use, "gadgets" is already in use]',
        ),
        ({"kind": "GadgetList"}, {"kind": ""}, "KindConflict", '"GadgetList" is already in use'),
        ({"listKind": "Gadget"}, {"listKind": None}, "ListKindConflict", '"Gadget" is already in use'),
    ],
)
def test_names_that_are_taken(changed: Names, kept: Names, reason: str, message: str) -> None:
    expected = {name: value for name, value in {**OTHERS, **kept}.items() if value is not None}
    assert judge({**OTHERS, **changed}, {}, taken([GADGETS])) == Verdict(expected, reason, message)


def test_what_it_had_it_keeps() -> None:
    verdict = judge({**OTHERS, "singular": "gadget"}, OTHERS, taken([GADGETS, OTHERS]))
    assert verdict == Verdict(OTHERS, "SingularConflict", '"gadget" is already in use')


@given(SOME_NAMES, SOME_NAMES)
def test_no_name_is_given_twice(first: Names, second: Names) -> None:
    had = judge(first, {}, taken([])).names
    got = judge(second, {}, taken([had])).names
    assert not taken([had]).resources & taken([got]).resources
    assert not taken([had]).kinds & taken([got]).kinds


@given(SOME_NAMES, st.lists(SOME_NAMES))
def test_judging_again_changes_nothing(wanted: Names, others: list[Names]) -> None:
    once = judge(wanted, {}, taken(others))
    assert judge(wanted, once.names, taken([*others, once.names])).names == once.names


def test_nothing_is_taken_by_one_without_names() -> None:
    assert taken([NONE, {}]) == (frozenset(), frozenset())


def test_what_is_empty_is_left_out_of_schemas() -> None:
    schema = {
        "type": "object",
        "description": "",
        "required": [],
        "properties": {
            "a": {"type": "array", "items": {"type": "string", "nullable": False, "minLength": 0, "default": ""}},
            "b": {"x-kubernetes-preserve-unknown-fields": False, "anyOf": [{"title": ""}], "enum": []},
            "c": {"type": "object", "additionalProperties": {"type": "string", "pattern": ""}},
        },
    }
    drop_empty(schema)
    assert schema == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "string", "minLength": 0, "default": ""}},
            "b": {"x-kubernetes-preserve-unknown-fields": False, "anyOf": [{}]},
            "c": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }


def test_unknown_fields_of_schemas_wherever_they_stand() -> None:
    junk = {"type": "string", "junk": 1}
    schema = {
        "properties": {"junk": junk, "free": {"default": {"junk": 1}, "additionalProperties": True}},
        "items": dict(junk),
        "additionalProperties": dict(junk),
        "allOf": [dict(junk)],
        "x-kubernetes-validations": [{"rule": "true", "junk": 1}],
    }
    assert normalize(schema, schema_of_schemas()) == [
        "properties.junk.junk",
        "items.junk",
        "additionalProperties.junk",
        "allOf[0].junk",
        "x-kubernetes-validations[0].junk",
    ]


def test_columns_that_cannot_be_read_leave_the_default_ones() -> None:
    column = {"name": "A", "type": "string", "jsonPath": ".spec[?("}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object"}},
        "additionalPrinterColumns": [column],
    }
    spec = {"group": "example.com", "scope": "Namespaced", "names": GADGETS, "versions": [version]}
    assert [shown.name for shown in resource_of({"spec": spec}, GADGETS).versions["v1"].columns] == ["Age"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".spec.a", ""),
        (".spec['a']", ""),
        (".spec.a-b", ""),
        (".spec", "FieldValueInvalid"),
        ("spec.a", "FieldValueInvalid"),
        (".spec.list[0]", "FieldValueInvalid"),
        (".metadata.name", "FieldValueInvalid"),
        ("", "FieldValueRequired"),
    ],
)
def test_selectable_fields(path: str, reason: str) -> None:
    fields = {
        "a": {"type": "integer"},
        "a-b": {"type": "string"},
        "list": {"type": "array", "items": {"type": "string"}},
    }
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    errors = selectable_errors([{"jsonPath": path}], schema, "spec.selectableFields")
    assert [error.reason for error in errors] == ([reason] if reason else [])
