"""Who gives way: that burners do and nobody else, and that nobody is starved by it."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.limits.allowance import Allowance, of_size
from cluster.limits.giving_way import Use, claim, who_gives_way
from cluster.limits.idle import gives_way
from crds.sizes import SIZES

SHARES = st.sampled_from([size.cpu for size in SIZES.values()])
CORES = st.integers(1, 64).map(float)
# A group that gives way weighs as little as this, where a core's share is one.
IDLE = 3 / 10_240


def sized(cpu: float) -> Allowance:
    return of_size(cpu, 1 << 20, 10)


def kernel(weights: Mapping[str, float], most: Mapping[str, float], cores: float) -> dict[str, float]:
    """What each of them gets that wants as much as it may have: what one leaves is shared by the others."""
    got: dict[str, float] = {}
    left = sorted(weights, key=lambda name: most[name] / weights[name])
    while left:
        name = left.pop(0)
        weight = weights[name] / (weights[name] + sum(weights[other] for other in left))
        got[name] = min(most[name], weight * (cores - sum(got.values())))
    return got


def shared_out(allowances: Mapping[str, Allowance], giving: set[str], outside: float, cores: float) -> dict[str, float]:
    """`outside`: the weight of those that are no instances and want all there is."""
    weights = {name: IDLE if name in giving else allowance.cpu for name, allowance in allowances.items()}
    most = {name: min(allowance.most_cpu, cores) for name, allowance in allowances.items()}
    if outside:
        weights["outside"], most["outside"] = outside, cores
    got = kernel(weights, most, cores)
    return {name: got[name] for name in allowances}


def uses(allowances: Mapping[str, Allowance], cores: Mapping[str, float]) -> dict[str, Use]:
    return {name: Use(allowance, cores[name]) for name, allowance in allowances.items()}


@given(SHARES, st.floats(0, 1), CORES)
def test_who_computes_all_day_gives_way_and_who_does_little_does_not(cpu: float, much: float, cores: float) -> None:
    allowance = sized(cpu)
    if cores < allowance.most_cpu:
        return
    used = {"one": Use(allowance, much * allowance.most_cpu)}
    assert who_gives_way(used, cores) == ({"one"} if much >= 0.5 else set())


@given(st.integers(1, 500), SHARES, CORES, st.floats(0, 0.15))
def test_however_many_burners_there_are_all_of_them_give_way(
    count: int, cpu: float, cores: float, platform: float
) -> None:
    burners = {str(number): sized(cpu) for number in range(count)}
    for giving in (set[str](), set(burners)):
        got = shared_out(burners, giving, 0, cores * (1 - platform))
        assert who_gives_way(uses(burners, got), cores) == set(burners)


@given(st.integers(1, 50), CORES, st.floats(0, 0.08, exclude_max=True))
def test_beside_burners_who_stays_within_its_share_takes_part(count: int, cores: float, little: float) -> None:
    burners = {str(number): sized(0.1) for number in range(min(count, int(5 * cores)))}
    used = uses(burners, shared_out(burners, set(), 0, cores - little))
    assert "one" not in who_gives_way({**used, "one": Use(sized(0.1), little)}, cores)


@given(
    st.dictionaries(st.text("abcdef", min_size=1, max_size=3), SHARES, min_size=1, max_size=30),
    CORES,
    st.floats(0, 20),
    st.integers(2, 20),
)
def test_nobody_starves(shares: dict[str, float], cores: float, outside: float, samples: int) -> None:
    """All burn, and others beside them, too: in one of each two samples everybody has what it would have if nobody gave
    way, or else what it has a claim to."""
    burners = {name: sized(cpu) for name, cpu in shares.items()}
    fair = shared_out(burners, set(), outside, cores)
    part = min(1.0, cores / sum(shares.values()))
    before, giving = fair, set[str]()
    for _ in range(samples):
        got = shared_out(burners, giving, outside, cores)
        for name, allowance in burners.items():
            had = max(before[name], got[name])
            assert had >= 0.999 * min(fair[name], claim(allowance, part))
        giving = who_gives_way(uses(burners, got), cores)
        before = got


@pytest.mark.parametrize(
    ("others", "mine", "gives"),
    [
        # Busy, but far from what a burner leaves to it.
        ([1.0], 0.15, False),
        ([1.0], 0.6, True),
        # Six that compute all day leave each other a third of a core.
        ([1 / 3] * 5, 1 / 3, True),
        ([1 / 3] * 5, 0.12, False),
        # Nobody else wants anything.
        ([], 0.4, False),
    ],
)
def test_what_is_much_depends_on_how_many_are_busy(others: list[float], mine: float, gives: bool) -> None:
    used = {str(number): Use(sized(0.1), each) for number, each in enumerate(others)}
    assert ("one" in who_gives_way({**used, "one": Use(sized(0.1), mine)}, 2)) == gives


def test_of_nobody_nobody_gives_way() -> None:
    assert who_gives_way({}, 2) == set()


@pytest.mark.parametrize(
    ("release", "does"),
    [("6.18.44-fc-v445", True), ("6.6.0", True), ("6.5.13-1", False), ("6.1.0-56-amd64", False), ("7.0-rc1", True)],
)
def test_older_kernels_know_no_giving_way(release: str, does: bool) -> None:
    assert gives_way(release) == does
