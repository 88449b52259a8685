"""What the groups of a node's instances are told, and when."""

import errno

import pytest

from cluster.limits.allowance import Allowance, of_size
from cluster.limits.group import NoGroup, Sessions
from cluster.limits.sessions import SessionGroup
from cluster.node import right_of_way
from cluster.node.right_of_way import Way, settle
from cluster.node.strain import CPU, SHARED_CPU

ALLOWANCE = of_size(0.1, 1 << 20, 10)


class Told(NoGroup):
    """Keeps what it was told; `broken`: it cannot be told; `able`: the kernel is."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.broken = False
        self.able = True

    def give_way(self, sessions: Sessions) -> bool:
        self._hear("give way")
        return self.able

    def take_part(self, allowance: Allowance, sessions: Sessions) -> None:
        assert allowance == ALLOWANCE
        self._hear("take part")

    def _hear(self, word: str) -> None:
        if self.broken:
            raise OSError(errno.EACCES, "no")
        self.words.append(word)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(right_of_way, "_now", lambda: now[0])
    return now


def test_only_what_changes_is_told_and_at_first_whatever_it_is(clock: list[float]) -> None:
    group = Told()
    way = Way(group, ALLOWANCE, begun=99.0)
    for used in (0.1, 0.1, 1.0, 0.9, 0.2, 0.1):
        settle({"one": (way, used)}, 2)
    assert group.words == ["take part", "give way", "take part"]


def test_who_could_not_be_told_is_told_again(clock: list[float]) -> None:
    group = Told()
    way = Way(group, ALLOWANCE, begun=99.0)
    group.broken = True
    settle({"one": (way, 1.0)}, 2)
    group.broken = False
    settle({"one": (way, 1.0)}, 2)
    assert group.words == ["give way"]


@pytest.mark.parametrize("able", [True, False])
def test_it_is_known_who_gives_way_and_that_nobody_does_where_the_kernel_cannot(clock: list[float], able: bool) -> None:
    group = Told()
    group.able = able
    way = Way(group, ALLOWANCE, begun=99.0)
    seen = []
    for used in (0.1, 1.0, 1.0, 0.1):
        settle({"one": (way, used)}, 2)
        seen.append((way.gives, way.signs()))
    told = {CPU} if able else {SHARED_CPU}
    assert seen == [(False, set()), (able, told), (able, told), (False, set())]


def test_who_crashed_begins_behind_and_takes_part_when_it_rests(clock: list[float]) -> None:
    group = Told()
    way = Way(group, ALLOWANCE, begun=99.0)
    way.begin_behind({1: 1})
    assert group.words == ["give way"]
    clock[0] += 1
    settle({"one": (way, way.read(0, {}))}, 2)
    assert group.words == ["give way", "take part"]


def test_new_sessions_are_told_too_and_who_has_many_of_them_is_known(clock: list[float]) -> None:
    group = Told()
    way = Way(group, ALLOWANCE, begun=99.0)
    for sessions in ({1: 1}, {1: 2}, {1: 1, 3: 3}):
        settle({"one": (way, way.read(0, sessions) + 1.0)}, 2)
    assert group.words == ["give way", "give way"]
    many = Way(SessionGroup(), ALLOWANCE, begun=99.0)
    many.read(0, {-number: 1 << 30 for number in range(100)})
    assert not many.scattered
    settle({"many": (many, 1.0)}, 2)
    assert many.scattered


def test_the_first_reading_counts_from_the_beginning_and_each_other_from_the_one_before(clock: list[float]) -> None:
    way = Way(Told(), ALLOWANCE, begun=98.0)
    assert way.seconds() == 2
    assert way.read(100, {}) == pytest.approx(0.5)
    clock[0] += 4
    assert way.seconds() == 4
    assert way.read(500, {}) == pytest.approx(1)
    clock[0] += 2
    assert way.read(400, {}) == 0, "children that nobody waited for took theirs with them"
