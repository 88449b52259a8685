"""Lines of the request log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.router.requestlog import Line, parse


def test_a_line() -> None:
    assert parse(b"s00001 200 0 1 23 100\n") == Line("s00001", 24, 1)
    assert parse(b"s00001 500 2 1 23 101") == Line("s00001", 26, 10)
    assert parse(b"s00001 500 2 1 23 2001") == Line("s00001", 26, 100)
    assert parse(b"s00001 500 2 1 23 10000") == Line("s00001", 26, 100)
    assert parse(b"s00001 500 2 1 23 10001") == Line("s00001", 26, 1000)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"web 404 -1 -1 -1 1",
        b"s00001 101 0 0 3 1",
        b"s00001 503 0 -1 -1 1",
        b"s1 200 0 0 0 1",
        b"s00001 200 0 0 0",
    ],
)
def test_what_says_nothing_of_an_answer(data: bytes) -> None:
    assert parse(data) is None


@given(st.binary(max_size=64))
def test_anything_else_is_nothing(data: bytes) -> None:
    assert parse(data) is None
