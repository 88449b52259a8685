"""The API server under load, against the figures that a trial reached on a machine of two cores."""

import pytest

from tests.bench.apiserver.driver import bench

FLOORS = {"creates_per_second": 3000.0, "gets_per_second": 10_000.0}
CEILINGS = {"list_ms": 33.0, "watch_ms_p50": 1.5, "idle_private_mib": 35.0}
ATTEMPTS = 3


@pytest.mark.bench
def test_the_api_server_is_no_slower_than_the_trial() -> None:
    """The best of a few runs counts: other load on the machine only ever takes away."""
    best: dict[str, float] = {}
    for _ in range(ATTEMPTS):
        for name, value in bench().items():
            better = max if name in FLOORS else min
            best[name] = better(best.get(name, value), value)
        if not _missed(best):
            break
    assert not _missed(best), best


def _missed(figures: dict[str, float]) -> list[str]:
    slow = [name for name, floor in FLOORS.items() if figures[name] < floor]
    return slow + [name for name, ceiling in CEILINGS.items() if figures[name] > ceiling]
