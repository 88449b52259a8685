"""Repositories, refs and branches as people write them; no input gets further than its form allows."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.edits.deploy import check_ref
from api.edits.git import check_branch, repository_of
from api.problems import Problem

HOST = "https://git.example"
hostile = st.one_of(
    st.text(max_size=60),
    st.from_regex(r"(ext|fd|file|http|git|ssh|https)(::|://|:)[^\n]{0,40}", fullmatch=True),
    st.from_regex(r"-{1,2}[a-z-]{1,20}(=.{0,20})?", fullmatch=True),
    st.from_regex(r"[A-Za-z0-9._-]{0,10}/[A-Za-z0-9._-]{0,10}(\.git)?", fullmatch=True),
)


def taken_or_refused(make: Callable[[], str]) -> str | Problem:
    try:
        return make()
    except Problem as refused:
        return refused


@given(hostile)
def test_what_is_taken_is_harmless(repo: str) -> None:
    address = taken_or_refused(lambda: repository_of(repo, git_host=HOST, operator=False))
    if isinstance(address, Problem):
        assert (address.code, address.faults[0].pointer) == ("invalid", "/repo")
        return
    assert re.match(r"(https://|ssh://|[A-Za-z0-9_.-]+@)", address)
    assert not address.startswith("-")
    assert "::" not in address.partition("://")[0]
    assert not any(character.isspace() or ord(character) < 32 for character in address)


@pytest.mark.parametrize(
    ("repo", "address"),
    [
        ("acme/shop", f"{HOST}/acme/shop.git"),
        ("acme/shop.git", f"{HOST}/acme/shop.git"),
        ("acme/s.h_o-p", f"{HOST}/acme/s.h_o-p.git"),
        ("https://example.com/a/b", "https://example.com/a/b"),
        ("ssh://git@example.com/a/b.git", "ssh://git@example.com/a/b.git"),
        ("git@example.com:a/b.git", "git@example.com:a/b.git"),
    ],
)
def test_good_ones(repo: str, address: str) -> None:
    assert repository_of(repo, git_host=HOST + "/", operator=False) == address


@pytest.mark.parametrize(
    "repo",
    [
        "https://localhost/x",
        "https://a.localhost/x",
        "https://metadata.internal/x",
        "https://169.254.169.254/x",
        "https://2130706433/x",
        "https://0x7f000001/x",
        "https://127.1/x",
        "https://[fe80::1]/x",
        "ssh://10.0.0.1/x",
        "git@192.168.0.1:x/y",
    ],
)
def test_addresses_inside_are_for_the_operator(repo: str) -> None:
    with pytest.raises(Problem):
        repository_of(repo, git_host=HOST, operator=False)
    assert repository_of(repo, git_host=HOST, operator=True) == repo


@given(st.text(max_size=40) | st.from_regex(r"[a-z./@{~^:?*\[\\-]{1,20}", fullmatch=True))
def test_refs_that_are_taken_are_names(text: str) -> None:
    for taken in (taken_or_refused(lambda: check_ref(text)), taken_or_refused(lambda: check_branch(text))):
        if isinstance(taken, Problem):
            assert taken.code == "invalid"
            continue
        assert taken == text
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/@+-]*", text)
        assert ".." not in text
        assert not text.endswith((".lock", "/", "."))


def test_no_ref_is_the_branch() -> None:
    assert check_ref(None) == check_branch(None) == ""
    assert check_ref("v1.2.3") == "v1.2.3"
    assert check_ref("feature/x-1") == "feature/x-1"
