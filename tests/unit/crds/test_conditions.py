"""Conditions keep the time of their last transition."""

from datetime import UTC, datetime, timedelta

from crds.conditions import find, is_true, with_condition, without_condition

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=5)


def test_time_moves_only_with_the_status() -> None:
    first = with_condition([], "Ready", "False", reason="Starting", now=NOON)
    same = with_condition(first, "Ready", "False", reason="StillStarting", now=LATER, generation=2)
    turned = with_condition(same, "Ready", "True", reason="Up", now=LATER)
    assert same[0].last_transition_time == NOON
    assert same[0].reason == "StillStarting"
    assert same[0].observed_generation == 2
    assert turned[0].last_transition_time == LATER


def test_sorted_and_one_of_each() -> None:
    conditions = with_condition([], "Ready", "True", reason="Up", now=NOON)
    conditions = with_condition(conditions, "Progressing", "False", reason="Done", now=NOON)
    conditions = with_condition(conditions, "Ready", "False", reason="Down", now=LATER)
    assert [c.type for c in conditions] == ["Progressing", "Ready"]
    assert not is_true(conditions, "Ready")
    assert find(without_condition(conditions, "Ready"), "Ready") is None
