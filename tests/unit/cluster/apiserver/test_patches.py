"""Merge patch and JSON patch against what the RFCs say of them."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.apiserver.errors import ApiError
from cluster.apiserver.patch.json_patch import json_patch
from cluster.apiserver.patch.merge import merge_patch
from cluster.apiserver.patch.strategic import strategic_merge
from tests.unit.cluster.apiserver.values import NODE, OBJECTS, VALUES

EXAMPLES: list[tuple[Any, Any, Any]] = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("value", "patch", "result"), EXAMPLES)
def test_merge_patch_examples_of_rfc_7386(value: Any, patch: Any, result: Any) -> None:
    assert merge_patch(value, patch) == result


@given(OBJECTS, OBJECTS)
def test_merge_patch_is_idempotent_and_changes_no_argument(value: Any, patch: Any) -> None:
    before = orjson.dumps([value, patch])
    once = merge_patch(value, patch)
    assert orjson.dumps([value, patch]) == before
    assert merge_patch(once, patch) == once
    assert merge_patch(value, {}) == value


def difference(old: Any, new: Any, path: str = "") -> list[dict[str, Any]]:
    """A JSON patch from `old` to `new`, field by field."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return [] if same(old, new) else [{"op": "replace", "path": path, "value": new}]
    found: list[dict[str, Any]] = []
    for name in {**old, **new}:
        place = f"{path}/{name.replace('~', '~0').replace('/', '~1')}"
        if name not in new:
            found.append({"op": "remove", "path": place})
        elif name not in old:
            found.append({"op": "add", "path": place, "value": new[name]})
        else:
            found.extend(difference(old[name], new[name], place))
    return found


def same(old: Any, new: Any) -> bool:
    return orjson.dumps(old, option=orjson.OPT_SORT_KEYS) == orjson.dumps(new, option=orjson.OPT_SORT_KEYS)


@given(OBJECTS, OBJECTS)
def test_json_patch_leads_from_one_to_the_other(old: Any, new: Any) -> None:
    assert same(json_patch(orjson.loads(orjson.dumps(old)), difference(old, new)), new)


@given(st.lists(VALUES, max_size=4), st.integers(0, 5), VALUES)
def test_json_patch_list_positions(items: list[Any], index: int, value: Any) -> None:
    operation = [{"op": "add", "path": f"/l/{index}", "value": value}]
    if index > len(items):
        with pytest.raises(ApiError) as caught:
            json_patch({"l": list(items)}, operation)
        assert caught.value.code == 422
    else:
        assert json_patch({"l": list(items)}, operation)["l"] == [*items[:index], value, *items[index:]]


OPERATIONS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "x"]),
        "path": st.sampled_from(["", "/a", "/a/0", "/a/-", "/b/c", "x"]),
    },
    optional={"value": VALUES, "from": st.sampled_from(["/a", "/b", ""])},
)


@given(VALUES, st.lists(OPERATIONS, max_size=3))
def test_json_patch_fails_in_known_ways_only(value: Any, operations: Any) -> None:
    try:
        json_patch({"a": value}, operations)
    except ApiError as error:
        assert error.code in (400, 422)  # noqa: PT017


def test_the_whole_object_cannot_be_removed() -> None:
    with pytest.raises(ApiError, match="nothing is left"):
        json_patch({"a": 1}, [{"op": "remove", "path": ""}])


@pytest.mark.parametrize("step", ["01", "-1", "1e0", "٣", ""])
def test_json_patch_indexes_are_plain_numbers(step: str) -> None:
    with pytest.raises(ApiError):
        json_patch({"l": [1, 2, 3, 4]}, [{"op": "remove", "path": f"/l/{step}"}])


def test_moving_into_itself_is_refused() -> None:
    with pytest.raises(ApiError):
        json_patch({"a": {"b": 1}}, [{"op": "move", "from": "/a", "path": "/a/b"}])


def test_copies_of_copies_end_before_memory_does() -> None:
    double = {"op": "copy", "from": "/l", "path": "/l/-"}
    with pytest.raises(ApiError, match="copies"):
        json_patch({"l": ["a"]}, [double] * 64)


SPEC = NODE.properties["spec"]


def test_strategic_merge_of_keyed_lists() -> None:
    value: dict[str, Any] = {"items": [{"k": "a", "p": "T", "v": 1}, {"k": "b", "p": "T"}], "tags": ["x"]}
    patch = {"items": [{"k": "a", "p": "T", "v": 2}, {"k": "c", "p": "T"}], "tags": ["x", "y"]}
    merged = strategic_merge(value, patch, SPEC)
    assert merged["items"] == [{"k": "a", "p": "T", "v": 2}, {"k": "c", "p": "T"}, {"k": "b", "p": "T"}]
    assert merged["tags"] == ["x", "y"]
    removed = strategic_merge(merged, {"items": [{"k": "b", "p": "T", "$patch": "delete"}]}, SPEC)
    assert [item["k"] for item in removed["items"]] == ["a", "c"]
    ordered = strategic_merge(removed, {"$setElementOrder/items": [{"k": "c", "p": "T"}, {"k": "a", "p": "T"}]}, SPEC)
    assert [item["k"] for item in ordered["items"]] == ["c", "a"]
    replaced = strategic_merge(ordered, {"items": [{"$patch": "replace"}, {"k": "z", "p": "T"}]}, SPEC)
    assert replaced["items"] == [{"k": "z", "p": "T"}]
    assert value["items"][0]["v"] == 1


@given(OBJECTS)
def test_strategic_merge_without_lists_is_merge_patch(patch: Any) -> None:
    plain = {name: value for name, value in patch.items() if not isinstance(value, list | dict)}
    assert strategic_merge({"q": 1}, plain, SPEC) == merge_patch({"q": 1}, plain)


def test_strategic_merge_of_a_set_with_what_is_no_value_of_it() -> None:
    merged = strategic_merge({"tags": ["x"]}, {"tags": [{"no": "text"}, "y", "y"]}, SPEC)
    assert merged["tags"] == [{"no": "text"}, "y", "x"]


DIRECTED = st.dictionaries(
    st.sampled_from(
        ["$patch", "$retainKeys", "$setElementOrder/items", "$deleteFromPrimitiveList/tags", "items", "tags"]
    ),
    VALUES,
    max_size=4,
)


@given(DIRECTED)
def test_strategic_merge_fails_in_known_ways_only(patch: Any) -> None:
    value = {"items": [{"k": "a", "p": "T"}, {"k": "b", "p": "T"}], "tags": ["x", "y"]}
    try:
        strategic_merge(value, patch, SPEC)
    except ApiError as error:
        assert error.code == 400  # noqa: PT017


def test_long_lists_are_merged_in_linear_time() -> None:
    """By what is done for them, not by a clock: an item is named a fixed number of times."""
    named = 0

    class Counted(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            nonlocal named
            named += 1
            return super().get(key, default)

    items = [Counted(k=f"{index}", p="T") for index in range(2_000)]
    strategic_merge({"items": items}, {"items": [Counted(k=f"{index}", p="U") for index in range(2_000)]}, SPEC)
    assert named < 50 * 4_000
