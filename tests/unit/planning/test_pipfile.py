"""What a Pipfile asks for, line by line; whatever is in it, a line stays one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.inspection import Inspection
from planning.pipfile import pipfile_requirements


def lines(entries: object) -> list[str]:
    lock = {"Pipfile.lock": json.dumps({"default": entries})}
    return pipfile_requirements(Inspection("a" * 40, "A commit", tuple(lock), lock))


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("*", "own"),
        ("==1.2", "own==1.2"),
        ({"version": "==1.2", "hashes": ["sha256:0"]}, "own==1.2"),
        ({"version": "*", "extras": ["redis", "x y"]}, "own[redis]"),
        ({"version": "==1", "markers": "python_version < '3.12'"}, "own==1 ; python_version < '3.12'"),
        ({"git": "https://h/o/own.git", "ref": "abc"}, "own @ git+https://h/o/own.git@abc"),
        ({"git": "https://h/o/own.git", "subdirectory": "a b"}, "own @ git+https://h/o/own.git#subdirectory=a%20b"),
        ({"path": ".", "editable": True}, "file:///app/."),
        ({"path": "libs/o w n"}, "file:///app/libs/o%20w%20n"),
        ({"path": "\ud800"}, "file:///app/%3F"),
        ({"git": "\ud800"}, "own @ git+?"),
        ({"file": "https://h/own-1.whl"}, "own @ https://h/own-1.whl"),
        ({"version": "==1\n--index-url https://elsewhere"}, ""),
        ({"version": ["1"]}, ""),
        (7, ""),
    ],
)
def test_an_entry_is_a_line(entry: object, line: str) -> None:
    assert lines({"own": entry}) == ([line] if line else [])


def test_a_package_from_elsewhere_never_becomes_one_of_the_index() -> None:
    for key in ("git", "path", "file"):
        (line,) = lines({"own": {key: "x", "version": "*"}})
        assert line != "own"


_JSON = st.recursive(
    st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)
_ENTRY = st.dictionaries(
    st.sampled_from(["version", "extras", "markers", "git", "ref", "subdirectory", "path", "file"]), _JSON
)


@given(st.dictionaries(st.text(max_size=5) | st.just("own"), _ENTRY | _JSON))
def test_nothing_begins_a_line_of_its_own(entries: object) -> None:
    for line in lines(entries):
        assert len(line.splitlines()) == 1
        assert not line.startswith("-")
