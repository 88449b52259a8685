"""The rules' language: what it computes, what it refuses."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cluster.apiserver.cel.lexer import CelError
from cluster.apiserver.cel.parser import compile_expression
from cluster.apiserver.cel.rules import ABSENT, check_rules
from cluster.apiserver.schema.compile import compile_schema

NAMES = frozenset({"self", "oldSelf"})


def evaluate(source: str, self: Any = None, old: Any = None) -> Any:
    return compile_expression(source, NAMES)[0]({"self": self, "oldSelf": old})


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 2 * 3 == 7", True),
        ("-7 / 2", -3),
        ("010 + 0x10 + 7u", 33),
        ("-7 % 2", -1),
        ("7.0 / 2.0", 3.5),
        ("1 == 1.0", True),
        ("1 == true", False),
        ("'a' < 'b' && 'b' <= 'b'", True),
        ('"q\\n\\u0041" == "q\\nA"', True),
        (r"r'\d' == '\\d'", True),
        ("'a' in ['a'] && !('b' in {'a': 1})", True),
        ("[1, 2][1] == 2 && {'a': 1}.a == 1", True),
        ("true ? 1 : 2", 1),
        ("false && (1/0 == 1)", False),
        ("(1/0 == 1) || true", True),
        ("[1, 2, 3].filter(i, i > 1).map(i, i * i)", [4, 9]),
        ("[1, 2].exists_one(i, i == 2) && [1, 2].exists(i, i > 1) && ![1, 2].all(i, i > 1)", True),
        ("size('abc') + 'abc'.size() + size([1])", 7),
        ("'a.b'.matches('^a[.]b$') && 'abc'.startsWith('a') && 'abc'.endsWith('c') && 'abc'.contains('b')", True),
        ("'a,b'.split(',').join('-')", "a-b"),
        ("int('3') + int(2.9)", 5),
        ("string(3) + string(true)", "3true"),
        ("// a remark\n 1", 1),
    ],
)
def test_values(source: str, value: Any) -> None:
    assert evaluate(source) == value


def test_has_and_selection() -> None:
    assert evaluate("has(self.a.b)", {"a": {"b": 1}}) is True
    assert evaluate("has(self.a) && has(self.a.b)", {}) is False
    assert evaluate("self.a__dash__b + self.__namespace__", {"a-b": 1, "namespace": 2}) == 3
    with pytest.raises(CelError):
        evaluate("self.missing", {})


@pytest.mark.parametrize(
    "source",
    [
        "",
        "self +",
        "bogus",
        "bogus(self)",
        "self.bogus()",
        "has(self)",
        "1 2",
        "'open",
        "self.all(1, true)",
        "size()",
        "@",
    ],
)
def test_what_cannot_be_evaluated_is_refused_when_compiled(source: str) -> None:
    with pytest.raises(CelError):
        compile_expression(source, NAMES)


@example("01")
@given(st.text(alphabet="selfod.()[]{}&|!?:'\"0123 +-<=>,", max_size=40))
def test_any_text_compiles_or_is_refused(source: str) -> None:
    try:
        expression, _ = compile_expression(source, NAMES)
        expression({"self": {}, "oldSelf": {}})
    except CelError:
        pass


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(CelError):
        compile_expression("(" * 500 + "1" + ")" * 500, NAMES)
    with pytest.raises(CelError):
        compile_expression("!" * 5000 + "true", NAMES)


def rules(source: str, **options: str) -> dict[str, Any]:
    return {"type": "string", "x-kubernetes-validations": [{"rule": source, **options}]}


def test_transition_rules_need_an_old_value() -> None:
    node = compile_schema({"type": "object", "properties": {"a": rules("self == oldSelf", message="fixed")}})
    assert check_rules({"a": "x"}, ABSENT, node) == []
    assert check_rules({"a": "x"}, {}, node) == []
    assert check_rules({"a": "x"}, {"a": "x"}, node) == []
    [error] = check_rules({"a": "y"}, {"a": "x"}, node)
    assert (error.reason, error.field, error.body) == ("FieldValueInvalid", "a", 'Invalid value: "y": fixed')


def test_items_are_told_apart_by_their_keys() -> None:
    item = {"type": "object", "properties": {"k": {"type": "string"}, "v": rules("self == oldSelf")}}
    keyed = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": item}
    node = compile_schema({"type": "object", "properties": {"l": keyed}})
    old = {"l": [{"k": "a", "v": "1"}, {"k": "b", "v": "2"}]}
    assert check_rules({"l": [{"k": "b", "v": "2"}, {"k": "c", "v": "9"}]}, old, node) == []
    [error] = check_rules({"l": [{"k": "b", "v": "3"}]}, old, node)
    assert error.field == "l[0].v"


def test_an_error_while_running_is_a_violation() -> None:
    node = compile_schema({"type": "object", "x-kubernetes-validations": [{"rule": "self.a == 1"}]})
    [error] = check_rules({}, ABSENT, node)
    assert "no such key: a" in error.body


def test_message_expressions_and_reasons() -> None:
    raw = rules("self != 'x'", messageExpression="'not ' + self", reason="FieldValueForbidden")
    node = compile_schema({"type": "object", "properties": {"a": raw}})
    [error] = check_rules({"a": "x"}, ABSENT, node)
    assert (error.reason, error.body) == ("FieldValueForbidden", "Forbidden: not x")
    with pytest.raises(CelError):
        compile_schema(rules("true", optionalOldSelf="true"))
