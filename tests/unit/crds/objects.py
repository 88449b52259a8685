"""Random objects of a kind, valid and nearly valid, drawn from its schema."""

from typing import Any

from hypothesis import strategies as st

from crds.definition import definition
from crds.models.record import Record

Json = dict[str, Any]
Draw = st.SearchStrategy[Any]
_WRONG = st.sampled_from([None, 0, -1, 1.5, True, "", "no", "x" * 300, [], {}, ["no"], {"no": 1}])
_FREE = st.dictionaries(st.sampled_from("ab"), st.integers(0, 3), max_size=2)


def schema_of(model: type[Record]) -> Json:
    """The whole one, with spec and status as its properties."""
    found: Json = definition(model)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found


def specs(model: type[Record]) -> Draw:
    """Of `{"spec": ...}`; about a third of them are wrong somewhere."""
    properties = schema_of(model)["properties"]
    return st.fixed_dictionaries({name: _value(below) for name, below in properties.items() if name == "spec"})


def whole(model: type[Record]) -> Draw:
    """Of `{"spec": ..., "status": ...}`."""
    return st.fixed_dictionaries({name: _value(below) for name, below in schema_of(model)["properties"].items()})


def _value(schema: Json) -> Draw:
    right = _right(schema)
    return st.integers(0, 30).flatmap(lambda chance: _WRONG if chance == 0 else right)


def _right(schema: Json) -> Draw:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    made = _MAKERS[schema["type"]](schema)
    return made | st.none() if schema.get("nullable") else made


def _object(schema: Json) -> Draw:
    if "additionalProperties" in schema:
        return st.dictionaries(st.sampled_from(["a", "B_1", "c.d"]), _value(schema["additionalProperties"]), max_size=3)
    if "properties" not in schema:
        return _FREE
    drawn = {name: _value(below) for name, below in schema["properties"].items()}
    required = set(schema.get("required", ()))
    needed = {name: drawn[name] for name in required}
    optional = {name: made for name, made in drawn.items() if name not in required}
    fields = st.fixed_dictionaries(needed, optional=optional)
    # Now and then one that is needed is not there.
    left_out = st.sampled_from([*sorted(required), *[""] * 40])
    return st.builds(_without, fields, left_out)


def _without(fields: Json, left_out: str) -> Json:
    return {name: value for name, value in fields.items() if name != left_out}


def _array(schema: Json) -> Draw:
    most = min(schema.get("maxItems", 3), 3)
    return st.lists(_value(schema["items"]), min_size=schema.get("minItems", 0), max_size=most)


def _string(schema: Json) -> Draw:
    if schema.get("format") == "date-time":
        return st.sampled_from(["2026-11-22T10:00:00Z", "2026-11-22T10:00:00.123456Z", "2026-11-22", "now"])
    if "pattern" in schema:
        return st.from_regex(schema["pattern"]) | st.text("aB/.-0 ", max_size=6)
    return st.text("aB/.-0 ", max_size=schema.get("maxLength", 10) + 1 if schema.get("maxLength", 99) < 30 else 10)


def _integer(schema: Json) -> Draw:
    least, most = schema.get("minimum", 0), schema.get("maximum", schema.get("minimum", 0) + 5)
    return st.integers(int(least) - 1, int(most) + 1)


def _number(schema: Json) -> Draw:
    least, most = schema.get("minimum", 0), schema.get("maximum", 10)
    return st.sampled_from([least, most, (least + most) / 2, least - 0.5, most + 0.5])


def _boolean(_: Json) -> Draw:
    return st.booleans()


_MAKERS = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}
