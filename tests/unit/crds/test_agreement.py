"""What a schema accepts its model can read, and what the model takes strictly the schema accepts."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from cluster.apiserver.cel.rules import ABSENT, check_rules
from cluster.apiserver.schema.compile import compile_schema
from cluster.apiserver.schema.node import Node
from cluster.apiserver.schema.normalize import normalize
from cluster.apiserver.schema.validate import validate
from crds.kinds import KINDS, Kind
from tests.unit.crds.objects import schema_of, whole

EACH = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.model.resource.kind)
# What a schema says and a model does not: it is for the server to see to.
SERVERS_ALONE = {"FieldValueDuplicate"}


def normalized(obj: dict[str, Any], node: Node) -> dict[str, Any]:
    """As a server keeps it: pruned, defaulted, nulls that may not be taken out."""
    fresh: dict[str, Any] = json.loads(json.dumps(obj))
    normalize(fresh, node)
    return fresh


def reads(kind: Kind, obj: dict[str, Any]) -> str:
    """Why the model does not take it; "" if it does."""
    record = {"metadata": {"name": "x", "namespace": "acc-x"}, **obj}
    try:
        kind.model.model_validate_json(json.dumps(record), strict=True)
    except ValidationError as error:
        return str(error)
    return ""


@EACH
@settings(max_examples=150)
@given(data=st.data())
def test_schema_and_model_agree(kind: Kind, data: st.DataObject) -> None:
    node = compile_schema(schema_of(kind.model))
    obj = normalized(data.draw(whole(kind.model)), node)
    errors = [error for error in validate(obj, node) if error.reason not in SERVERS_ALONE]
    refused = reads(kind, obj)
    if not errors:
        assert not refused, (obj, refused)
    elif not refused:
        raise AssertionError((obj, [error.text() for error in errors]))


@EACH
@settings(max_examples=50)
@given(data=st.data())
def test_what_a_model_writes_the_schema_accepts_with_its_rules(kind: Kind, data: st.DataObject) -> None:
    node = compile_schema(schema_of(kind.model))
    obj = normalized(data.draw(whole(kind.model)), node)
    if validate(obj, node) or check_rules(obj, ABSENT, node):
        return
    record = kind.model.parse({"metadata": {"name": "x"}, **obj})
    wire = {name: value for name, value in record.wire().items() if name in ("spec", "status")}
    again = normalized(wire, node)
    assert validate(again, node) == []
    assert kind.model.parse({"metadata": {"name": "x"}, **again}) == record
