"""Which node builds, and which looks into repositories."""

from typing import Any

from cluster.scheduler.assignment import least_busy, next_build, wants_node
from tests.unit.cluster.scheduler.records import build, gitref


def test_the_node_with_least_to_do() -> None:
    assert least_busy({"node-1": 1, "node-2": 0}) == "node-2"
    assert least_busy({"b": 1, "a": 1}) == "a"
    assert least_busy({}) is None


def test_one_build_of_an_account_at_a_time_oldest_first() -> None:
    chosen = next_build([build(2), build(1), build(0, phase="failed", node="node-1")], ())
    assert chosen is not None
    assert (chosen.build.name, chosen.again) == ("build-1", False)
    assert next_build([build(2), build(1, phase="building", node="node-1")], ()) is None
    assert next_build([build(1, phase="succeeded", node="node-1")], ()) is None


def test_a_build_of_a_lost_node_begins_again() -> None:
    builds = [build(1), build(2, phase="building", node="node-3")]
    chosen = next_build(builds, {"node-3"})
    assert chosen is not None
    assert (chosen.build.name, chosen.again) == ("build-2", True)


def test_a_gitref_is_given_once_and_again_when_its_node_is_lost() -> None:
    assert wants_node(gitref(), ())
    assert not wants_node(gitref(node="node-1"), ())
    assert wants_node(gitref(node="node-1"), {"node-1"})


def test_a_gitref_that_is_answered_for_good_needs_no_node() -> None:
    answered: dict[str, Any] = {
        "node": "node-1",
        "phase": "resolved",
        "repository": "/srv/shop.git",
        "ref": "",
        "request": "r1",
    }
    assert not wants_node(gitref(asked="r1", **answered), {"node-1"})
    assert wants_node(gitref(asked="r2", **answered), {"node-1"})
    assert wants_node(gitref(interval=300, asked="r1", **answered), {"node-1"})
