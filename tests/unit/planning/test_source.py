"""Repositories, refs and following a branch: what is refused, and that each head is deployed once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crds.models.project import ProjectSpec
from planning.source import follow, ref_problem, repository_problem


@pytest.mark.parametrize(
    "good",
    ["https://github.com/a/b.git", "https://git.example:8443/x", "ssh://git@host/x.git", "git@github.com:a/b.git"],
)
def test_repositories_that_are_taken(good: str) -> None:
    assert repository_problem(good, operator=False) is None


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "--upload-pack=x",
        "ext::sh -c x",
        "ext::sh",
        "http://github.com/a/b",
        "https://user:secret@github.com/a/b",
        "https://token@github.com/a/b",
        "file:///etc",
        "/etc",
        "https://",
        "https://github.com/",
        "git://host/x",
        "https://host:99999/x",
        "https://h/a b",
        "https://h/a\nb",
        "-oProxyCommand=x@host:y",
        "git@-x:y",
        "ssh://-oProxyCommand=x/y",
        "ssh://git@-oProxyCommand=x/y",
        "https://h/a?b=c",
        "https://h/a#b",
    ],
)
def test_repositories_that_are_refused(bad: str) -> None:
    assert repository_problem(bad, operator=False)


def test_a_path_is_for_the_operator() -> None:
    assert repository_problem("/srv/shop", operator=True) is None
    assert repository_problem("file:///srv/shop", operator=True) is None
    for bad in ("/srv/../etc", "file://elsewhere/srv", "/srv/./shop"):
        assert repository_problem(bad, operator=True)


@pytest.mark.parametrize(
    "bad", ["", "-x", "--upload-pack=x", "a b", "a..b", "a/", ".x", "x.lock", "a@{1}", "a\nb", "~", "a//b"]
)
def test_refs_that_are_refused(bad: str) -> None:
    assert ref_problem(bad)


@pytest.mark.parametrize("good", ["main", "feature/x-1", "v1.2.3", "a" * 40, "refs/heads/main"])
def test_refs_that_are_taken(good: str) -> None:
    assert ref_problem(good) is None


@given(st.text(max_size=30))
def test_no_ref_that_is_taken_can_be_an_option_or_hold_a_space(text: str) -> None:
    if ref_problem(text) is None:
        assert not text.startswith("-")
        assert not any(char.isspace() for char in text)


MANUAL = ProjectSpec(deploy_policy="manual")
GIT = ProjectSpec(deploy_policy="onChange")


def due(spec: ProjectSpec, head: str | None, handled: str | None, *, pushed: bool = False, deployed: str = "") -> bool:
    return follow(spec=spec, head=head, handled=handled, pushed=pushed, deployed={deployed} if deployed else set())[1]


def test_connecting_a_repository_deploys_nothing_by_itself() -> None:
    assert not due(MANUAL, "c1", None)


def mark(spec: ProjectSpec, head: str, handled: str | None = None, *, pushed: bool = False) -> str | None:
    """What is kept after a look."""
    return follow(spec=spec, head=head, handled=handled, pushed=pushed, deployed=set())[0].wanted


def test_a_push_deploys_the_head_once() -> None:
    assert due(MANUAL, "c1", None, pushed=True)
    first = mark(MANUAL, "c1", pushed=True)
    assert not due(MANUAL, "c1", first, pushed=True)
    assert not due(MANUAL, "c1", first), "nor when the push is forgotten, as at a new connection"
    assert due(MANUAL, "c2", first, pushed=True)


def test_a_push_that_comes_after_the_first_look_saw_its_commit_is_deployed() -> None:
    seen = mark(MANUAL, "c1")
    assert not due(MANUAL, "c1", seen)
    assert due(MANUAL, "c1", seen, pushed=True)
    assert not due(MANUAL, "c1", seen, pushed=True, deployed="c1")


def test_a_head_that_somebody_deployed_by_hand_is_not_deployed_again() -> None:
    assert not due(MANUAL, "c2", mark(MANUAL, "c1"), pushed=True, deployed="c2")


def test_a_lost_delivery_is_healed_when_the_branch_is_looked_at() -> None:
    assert due(MANUAL, "c2", mark(MANUAL, "c1"))
    assert due(MANUAL, "c2", mark(MANUAL, "c1", pushed=True))


def test_another_repository_or_branch_begins_anew() -> None:
    other = ProjectSpec.model_validate({"deployPolicy": "manual", "source": {"repository": "/b", "branch": "x"}})
    assert not due(other, "c9", mark(MANUAL, "c1", pushed=True))


def test_by_manifest_the_first_head_and_each_change_deploy() -> None:
    assert due(GIT, "c1", None)
    first, _ = follow(spec=GIT, head="c1", handled=None, pushed=False, deployed=set())
    assert not due(GIT, "c1", first.wanted)
    changed = ProjectSpec(deploy_policy="onChange", runtime="node")
    assert due(changed, "c1", first.wanted)


def test_nothing_is_due_before_the_branch_was_looked_at() -> None:
    assert not due(GIT, None, None)
