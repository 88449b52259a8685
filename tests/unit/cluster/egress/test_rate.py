"""However somebody asks, he gets what the rate says, and nobody else gets less for it."""

from hypothesis import given
from hypothesis import strategies as st

from cluster.egress.rate import Buckets, Rate

RATES = st.builds(Rate, st.sampled_from([1.0, 7.0, 200.0]), st.integers(1, 400))
STEPS = st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 2)), max_size=200)


def _moments(steps: list[tuple[str, float]]) -> list[tuple[str, float]]:
    now, found = 0.0, []
    for client, pause in steps:
        now += pause
        found.append((client, now))
    return found


@given(RATES, STEPS)
def test_in_no_time_more_than_that(rate: Rate, steps: list[tuple[str, float]]) -> None:
    buckets = Buckets(rate)
    given_: dict[str, list[float]] = {}
    for client, now in _moments(steps):
        if buckets.take(client, now):
            given_.setdefault(client, []).append(now)
    for times in given_.values():
        for first in range(len(times)):
            for last in range(first, len(times)):
                most = rate.at_once + (times[last] - times[first]) * rate.per_second
                assert last - first + 1 <= most + 0.01


@given(RATES, STEPS, st.integers(0, 1000))
def test_others_change_nothing(rate: Rate, steps: list[tuple[str, float]], flood: int) -> None:
    alone, among = Buckets(rate), Buckets(rate)
    for client, now in _moments(steps):
        for _ in range(flood % 7):
            among.take(f"flood {flood}", now)
        assert alone.take(client, now) == among.take(client, now)


@given(RATES, st.integers(1, 500))
def test_who_asks_as_often_as_he_may_is_always_answered(rate: Rate, count: int) -> None:
    buckets = Buckets(rate)
    assert all(buckets.take("a", 5.0) for _ in range(rate.at_once))
    assert not buckets.take("a", 5.0)
    assert all(buckets.take("a", 5.0 + number / rate.per_second) for number in range(1, count))


def test_who_has_not_asked_for_long_is_forgotten() -> None:
    buckets = Buckets(Rate(10.0, 5))
    for number in range(10_000):
        assert buckets.take(str(number), number / 10)
    assert len(buckets) < 100
