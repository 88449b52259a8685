"""The status patch is the smallest one: applied to what was, it gives what is to be."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crds.merge import merge_patch

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.integers(), st.text(max_size=3), st.booleans(), st.lists(st.integers(), max_size=3)),
    lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


def merged(target: Any, patch: Any) -> Any:
    """RFC 7396, as its own text has it."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


@given(OBJECTS, OBJECTS)
def test_applied_to_the_old_it_gives_the_new(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert merged(old, merge_patch(old, new)) == new


@given(OBJECTS)
def test_no_change_is_no_patch(value: dict[str, Any]) -> None:
    assert merge_patch(value, value) == {}
