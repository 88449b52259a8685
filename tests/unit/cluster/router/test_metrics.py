"""Figures of the last quarter of an hour."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cluster.router.admin import Count, Counters
from cluster.router.metrics import Metrics, Minute, percentiles

KEY = ("acc-main", "shop")
OWNERS = {"s00001": KEY}
NOON = 1_795_262_400.0


def counters(requests: int, errors: int, worker: int = 1) -> Counters:
    return Counters(worker, {"s00001": Count(requests, errors)})


def answer(metrics: Metrics, now: float) -> dict[str, Any]:
    return metrics.answer(KEY, now)


def test_counts_are_differences_and_survive_a_reload() -> None:
    metrics = Metrics(NOON)
    metrics.begin(counters(1000, 10))
    metrics.count(counters(1010, 11), OWNERS, NOON + 5)
    metrics.count(counters(4, 1, worker=2), OWNERS, NOON + 65)
    result = answer(metrics, NOON + 70)
    assert (result["window"], result["total"], result["errors"]) == ("PT15M", 14, 2)
    assert result["perSecond"] == 0.2
    assert [entry["requests"] for entry in result["series"][-2:]] == [10, 4]
    assert result["series"][-1]["at"] == "2026-11-21T12:01:00Z"
    assert len(result["series"]) == 15


def test_a_worker_that_has_counted_more_than_the_one_before_began_at_zero() -> None:
    metrics = Metrics(NOON)
    metrics.count(counters(4, 0, worker=1), OWNERS, NOON)
    metrics.count(counters(5, 0, worker=2), OWNERS, NOON)
    metrics.count(counters(6, 0, worker=2), OWNERS, NOON)
    assert answer(metrics, NOON)["total"] == 10


def test_a_slot_that_goes_to_another_project_brings_nothing_along() -> None:
    metrics = Metrics(NOON)
    metrics.count(counters(10, 0), {"s00001": ("acc-main", "old")}, NOON)
    metrics.count(counters(13, 0), OWNERS, NOON + 1)
    assert answer(metrics, NOON + 2)["total"] == 3


def test_what_is_older_than_the_window_is_forgotten() -> None:
    metrics = Metrics(NOON)
    metrics.count(counters(10, 0), OWNERS, NOON)
    metrics.sample(KEY, 7, 1, NOON)
    assert answer(metrics, NOON + 14 * 60)["total"] == 10
    late = answer(metrics, NOON + 15 * 60)
    assert (late["total"], late["sampled"], late["p50Ms"]) == (0, 0, None)


def test_percentiles_by_weight() -> None:
    metrics = Metrics(NOON)
    for milliseconds, weight in ((5, 10), (100, 1)):
        metrics.sample(KEY, milliseconds, weight, NOON)
    result = answer(metrics, NOON)
    assert (result["p50Ms"], result["p95Ms"], result["p99Ms"], result["sampled"]) == (5, 100, 100, 2)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=300))
def test_percentiles_are_the_nearest_ranks(times: list[int]) -> None:
    minute = Minute()
    for time in times:
        minute.sample(time, 1)
    ordered = sorted(times)
    expected = [ordered[max(0, -(-len(times) * rank // 100) - 1)] for rank in (50, 95, 99)]
    assert percentiles([minute], (0.50, 0.95, 0.99)) == expected


def test_of_very_many_samples_a_fair_choice_is_kept() -> None:
    minute = Minute()
    for n in range(20_000):
        minute.sample(n % 1000, 1)
    assert len(minute.times) <= 400
    p50 = percentiles([minute], (0.5,))[0]
    assert p50 is not None
    assert 350 < p50 < 650
