"""The API server under load, against a server that understands nothing; the trial's figures, of another machine, are
printed beside ours."""

import pytest

from tests.bench.apiserver.driver import bench

TRIAL = {"creates_per_second": 3000.0, "gets_per_second": 10_000.0, "applies_per_second": 2200.0, "list_ms": 33.0}
TRIAL |= {"watch_ms_p50": 1.5, "idle_private_mib": 35.0}


@pytest.mark.bench
def test_the_api_server_against_bare_bytes() -> None:
    ours, floor = bench()
    for name, value in ours.items():
        least = f"; floor {floor[name]:.1f}; {value / floor[name]:.2f}x" if name in floor else ""
        aim = f"; trial {TRIAL[name]:.1f}" if name in TRIAL else ""
        print(f"\nembedded API, {name}: {value:.1f}{least}{aim}")
    assert ours["gets_per_second"] > floor["gets_per_second"] / 5, "far from the floor: something is wrong"
    assert ours["creates_per_second"] > floor["creates_per_second"] / 20, "far from the floor: something is wrong"
    assert ours["list_ms"] < 5 * floor["list_ms"], "far from the floor: something is wrong"
