"""What the property tests draw from: JSON values and a schema that they all fit."""

from hypothesis import strategies as st

from cluster.apiserver.schema.compile import compile_schema
from cluster.apiserver.types import Json

NAMES = st.sampled_from(["a", "b", "c", "d/e", "f~g", ".", ""])
SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "x", "y"])
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3), max_leaves=12
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)

ITEM: Json = {
    "type": "object",
    "required": ["k"],
    "properties": {"k": {"type": "string"}, "p": {"type": "string", "default": "T"}, "v": {"type": "integer"}},
}
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "count": {"type": "integer"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "items": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k", "p"],
            "items": ITEM,
        },
        "plain": {"type": "array", "items": {"type": "integer"}},
        "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "integer"}},
        "deep": {
            "type": "object",
            "properties": {"x": {"type": "string"}, "y": {"type": "object", "properties": {"z": {"type": "string"}}}},
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
NODE = compile_schema({"type": "object", "properties": {"spec": SCHEMA}})

TEXT = st.sampled_from(["a", "b", "c"])
ENTRY = st.fixed_dictionaries({"k": TEXT}, optional={"p": st.sampled_from(["T", "U"]), "v": st.integers(0, 2)})
SPEC = st.fixed_dictionaries(
    {},
    optional={
        "note": TEXT,
        "count": st.integers(0, 3),
        "labels": st.dictionaries(TEXT, TEXT, max_size=3),
        "tags": st.lists(TEXT, unique=True, max_size=3),
        "items": st.lists(ENTRY, max_size=3, unique_by=lambda e: (e["k"], e.get("p", "T"))),
        "plain": st.lists(st.integers(0, 2), max_size=3),
        "whole": st.dictionaries(TEXT, st.integers(0, 2), max_size=2),
        "deep": st.fixed_dictionaries({}, optional={"x": TEXT, "y": st.fixed_dictionaries({}, optional={"z": TEXT})}),
        "free": st.dictionaries(TEXT, st.integers(0, 2) | st.lists(st.integers(0, 1), max_size=2), max_size=2),
    },
)


def an_object(spec: Json) -> Json:
    return {"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "n"}, "spec": spec}
