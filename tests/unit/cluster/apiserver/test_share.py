"""What a write left as it was need not be looked at again: nothing that is wrong may pass by that."""

import copy

import orjson
from hypothesis import given
from hypothesis import strategies as st

from cluster.apiserver.fields.share import share, unchanged
from cluster.apiserver.fields.walk import same
from cluster.apiserver.schema.compile import compile_schema
from cluster.apiserver.schema.validate import validate, validate_change
from cluster.apiserver.types import Json
from tests.unit.cluster.apiserver.values import OBJECTS, SCALARS, VALUES

LIMITED: Json = {"type": "integer", "minimum": 0, "maximum": 3}
SPEC: Json = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": LIMITED, "b": {"type": "object", "properties": {"c": LIMITED}}},
    "additionalProperties": {"type": "string", "maxLength": 1},
}
NODE = compile_schema({"type": "object", "properties": {"spec": SPEC, "metadata": {"type": "object"}}})
FIELDS = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d"]), VALUES | SCALARS | st.dictionaries(st.just("c"), VALUES)
)
ANY = st.fixed_dictionaries({"metadata": OBJECTS}, optional={"spec": FIELDS, "status": VALUES})


@given(ANY, ANY, st.booleans())
def test_only_what_is_the_same_is_shared(old: Json, new: Json, kept: bool) -> None:
    if kept and "spec" in old:
        new["spec"] = copy.deepcopy(old["spec"])
    before = orjson.dumps(new)
    alike = same(new, old)
    share(new, old)
    assert orjson.dumps(new) == before
    assert new["metadata"] is not old["metadata"]
    assert not alike or unchanged(*({**obj, "metadata": None} for obj in (new, old)))
    assert alike or not unchanged(new, old)


@given(ANY, ANY)
def test_nothing_new_that_is_wrong_passes(old: Json, new: Json) -> None:
    earlier, everything = validate(old, NODE), validate(new, NODE)
    share(new, old)
    found = validate_change(new, old, NODE)
    assert [error for error in found if error not in earlier] == [error for error in everything if error not in earlier]
    assert validate_change(new, None, NODE) == everything
