"""Bytes into lines."""

from hypothesis import given
from hypothesis import strategies as st

from cluster.lines import LONGEST, LineSplitter, clean


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_however_it_is_cut_the_lines_are_the_same(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    splitter = LineSplitter()
    found = [item for piece in pieces for item in splitter.feed(piece)] + splitter.flush()
    expected = [clean(line) for line in whole.split(b"\n")]
    if whole.endswith(b"\n") or not whole:
        expected.pop()
    assert [line for line, _ in found] == expected
    ends = [end for _, end in found]
    assert ends == sorted(ends)
    assert splitter.position == len(whole)


def test_a_line_without_end_is_cut_and_odd_bytes_are_replaced() -> None:
    splitter = LineSplitter(100)
    found = splitter.feed(b"x" * (2 * LONGEST + 5))
    assert [len(line) for line, _ in found] == [LONGEST, LONGEST]
    assert found[-1][1] == 100 + 2 * LONGEST
    assert splitter.flush() == [("xxxxx", 105 + 2 * LONGEST)]
    assert clean(b"10%\r20%\r30%\r\xff\x00") == "\ufffd\ufffd"
