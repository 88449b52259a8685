"""Cursors and pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.http.paging import PageQuery, decode_cursor, encode_cursor, page_of
from api.problems import Problem

positions = st.recursive(
    st.text() | st.integers(-(2**53), 2**53) | st.booleans(), lambda inner: st.lists(inner, max_size=4), max_leaves=8
)


@given(st.text(max_size=40), positions)
def test_a_cursor_comes_back_as_it_was(of: str, position: object) -> None:
    assert decode_cursor(of, encode_cursor(of, position)) == position


@given(st.text(max_size=40), positions, st.text(max_size=40))
def test_a_cursor_of_another_list_is_refused(of: str, position: object, other: str) -> None:
    if of != other:
        with pytest.raises(Problem) as refused:
            decode_cursor(other, encode_cursor(of, position))
        assert refused.value.code == "invalid"


@given(st.text(max_size=200))
def test_a_made_up_cursor_is_refused(text: str) -> None:
    with pytest.raises(Problem) as refused:
        decode_cursor("/list", text)
    assert refused.value.faults[0].pointer == "?cursor"


@given(st.text(max_size=20), st.integers(0, 60), st.integers(0, 63))
def test_a_changed_cursor_is_refused(position: str, where: int, to: int) -> None:
    cursor = encode_cursor("/list", position)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    where %= len(cursor)
    changed = cursor[:where] + letters[to] + cursor[where + 1 :]
    if changed != cursor:
        with pytest.raises(Problem):
            decode_cursor("/list", changed)


@given(st.sets(st.text(max_size=5), max_size=40), st.integers(1, 10), st.booleans())
def test_pages_together_are_the_list(names: set[str], limit: int, newest_first: bool) -> None:
    items = sorted(names, reverse=newest_first)
    seen: list[str] = []
    cursor = None
    while True:
        query = PageQuery.model_validate({"limit": str(limit), **({"cursor": cursor} if cursor else {})})
        shown, cursor = page_of(items, query, "/l", place=lambda item: item, newest_first=newest_first)
        seen += shown
        assert len(shown) <= limit
        if cursor is None:
            break
    assert seen == items


def test_a_page_goes_on_where_an_item_has_gone() -> None:
    query = PageQuery(limit=2)
    _, cursor = page_of(["a", "b", "c"], query, "/l", place=lambda item: item)
    rest, end = page_of(["a", "c", "d"], PageQuery(limit=2, cursor=cursor), "/l", place=lambda item: item)
    assert (rest, end) == (["c", "d"], None)
