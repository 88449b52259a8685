"""JSON paths, selectors, ages, patterns, paths of URLs, and pruning: small pure parts."""

from typing import Any

import pytest
from hypothesis import given

from cluster.apiserver.errors import ApiError
from cluster.apiserver.http.path import Place, place_of
from cluster.apiserver.kinds.custom import version_order
from cluster.apiserver.kinds.identifiers import new_uid
from cluster.apiserver.kinds.times import duration, micro
from cluster.apiserver.output.jsonpath import compile_path, results
from cluster.apiserver.schema.compile import compile_schema
from cluster.apiserver.schema.normalize import normalize
from cluster.apiserver.schema.patterns import BadPattern, Pattern
from cluster.apiserver.schema.validate import validate
from cluster.apiserver.verbs.selectors import field_terms, label_tests
from tests.unit.cluster.apiserver.values import NODE, OBJECTS, SPEC

OBJECT: dict[str, Any] = {
    "a": {"b.c": 1, "list": [{"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"}]},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".a.list[0].type", ["Ready"]),
        (".a.list[-1].type", ["Other"]),
        (".a.list[*].status", ["True", "False"]),
        ('.a.list[?(@.type=="Ready")].status', ["True"]),
        (".a.list[?(@.type!='Ready')].status", ["False"]),
        (".a['b.c']", [1]),
        (".a.b\\.c", [1]),
        (".a.absent.more", []),
    ],
)
def test_json_paths(path: str, found: list[Any]) -> None:
    assert results(OBJECT, compile_path(path)) == found


@pytest.mark.parametrize("path", [".a[", ".a[?(@.x)]", "..a", ".a[1:2]"])
def test_other_json_paths_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="JSON path"):
        compile_path(path)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(5, "5s"), (119, "119s"), (120, "2m"), (190, "3m10s"), (3600, "60m"), (3 * 3600 + 60, "3h1m"), (10 * 3600, "10h"),
     (50 * 3600, "2d2h"), (10 * 86400, "10d"), (800 * 86400, "2y70d"), (9 * 365 * 86400, "9y")],
)  # fmt: skip
def test_ages(seconds: int, text: str) -> None:
    assert duration(seconds) == text


def test_micro_times() -> None:
    assert micro("2024-01-01T00:00:00.000001-01:00") == "2024-01-01T01:00:00.000001Z"
    with pytest.raises(ValueError, match="2024"):
        micro("2024-01-01T00:00:00Z")


def test_selector_terms() -> None:
    assert field_terms(r"a.b=c\,d,e!=f") == [("a.b", True, "c,d"), ("e", False, "f")]
    tests = label_tests("a in (x,y), b notin (z) ,!c,d,e!=1")
    assert all(test({"a": "x", "d": "", "e": "2"}) for test in tests)
    assert not all(test({"a": "q", "d": ""}) for test in tests)
    for bad in ("a in x", "a=b c", "=a", "a>b"):
        with pytest.raises(ApiError):
            label_tests(bad)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/api/v1/namespaces/x", Place("", "v1", "namespaces", "", "x")),
        ("/api/v1/namespaces/x/status", Place("", "v1", "namespaces", "", "x", "status")),
        ("/api/v1/namespaces/x/secrets", Place("", "v1", "secrets", "x")),
        ("/apis/g.io/v1/namespaces/x/ws/y/scale", Place("g.io", "v1", "ws", "x", "y", "scale")),
        ("/apis/g.io/v1", Place("g.io", "v1")),
        ("/apis/g.io", None),
        ("/apis/g.io/v1/a/b/c/d", None),
    ],
)
def test_places(path: str, place: Place | None) -> None:
    assert place_of(path) == place


def test_versions_are_ordered_best_first() -> None:
    names = ["foo1", "v1alpha2", "v11beta2", "v10", "v2", "v10beta3", "v3beta1", "v12alpha1", "v1"]
    wanted = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v1alpha2", "foo1"]
    assert sorted(names, key=version_order) == wanted


def test_uids_are_random_uuids() -> None:
    uids = {new_uid() for _ in range(1000)}
    assert len(uids) == 1000
    assert all(uid[14] == "4" and uid[19] in "89ab" and len(uid) == 36 for uid in uids)


def test_patterns_end_where_they_say() -> None:
    assert Pattern(r"^a\$b$").matches("a$b")
    node = compile_schema({"type": "string", "pattern": "^a$"})
    assert validate("a", node) == []
    assert validate("a\n", node) != []


def test_a_pattern_takes_no_longer_for_being_cruel() -> None:
    """Python's own would go on for longer than the universe; the test's time-out is what fails then."""
    assert not Pattern("^(a+)+$").matches("a" * 100_000 + "!")


@pytest.mark.parametrize("text", ["(?=a)", "a{1,2000}", "(a", r"\1"])
def test_what_the_real_servers_expressions_do_not_have_is_refused(text: str) -> None:
    with pytest.raises(BadPattern):
        Pattern(text)


@given(OBJECTS)
def test_pruning_is_idempotent_and_leaves_only_what_is_known(value: Any) -> None:
    obj = {"spec": value, "other": 1}
    unknown = normalize(obj, NODE)
    assert "other" in unknown
    assert normalize(obj, NODE) == []


@given(SPEC)
def test_what_fits_is_left_alone_but_for_defaults(spec: Any) -> None:
    obj = {"spec": spec}
    assert normalize(obj, NODE) == []
    assert validate(obj, NODE) == []
