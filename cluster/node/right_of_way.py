"""Who of a node's instances gives way: asked at each look at what they used, told to their groups when it changes."""

import logging
import time
from collections.abc import Collection, Mapping

from cluster.limits.allowance import Allowance
from cluster.limits.giving_way import Use, who_gives_way
from cluster.limits.group import Group, Sessions
from cluster.node.loads import TICKS
from cluster.node.strain import CPU, SHARED_CPU, Kind

_log = logging.getLogger(__name__)


class Way:
    """Of one run, whose first process began so many seconds after the machine. What an earlier agent told the group is
    not known, so it is told whatever comes first. `burns`: it is one of those who are to give way; `gives`: it does,
    and the kernel knows how."""

    def __init__(self, group: Group, allowance: Allowance, begun: float):
        self.allowance = allowance
        self._group = group
        self._told: tuple[bool, Collection[int]] | None = None
        self._sessions: Sessions = {}
        self.burns = self.gives = False
        self._ticks, self._at = 0, begun

    def begin_behind(self, sessions: Sessions) -> None:
        """It gives way until a look has shown otherwise."""
        self._sessions = sessions
        self.settle(True)

    def seconds(self) -> float:
        """Since CPU was read; at first since its beginning."""
        return _now() - self._at

    def read(self, ticks: int, sessions: Sessions) -> float:
        """Cores used since then. `ticks`: of CPU so far; fewer than before when processes ended unseen."""
        self._sessions = sessions
        used = (ticks - self._ticks) / TICKS / max(self.seconds(), 1 / TICKS)
        self._ticks, self._at = ticks, _now()
        return max(0.0, used)

    @property
    def scattered(self) -> bool:
        """It computes all the time, with the share of many."""
        return self.burns and self._group.scattered(self._sessions)

    def signs(self) -> set[Kind]:
        """Of what it is to be told: that it gives way, or that nothing makes it."""
        return {CPU if self.gives else SHARED_CPU} if self.burns else set()

    def settle(self, gives: bool) -> None:
        self.burns = gives
        words = gives, self._sessions.keys()
        if words == self._told:
            return
        try:
            if gives:
                self.gives = self._group.give_way(self._sessions)
            else:
                self._group.take_part(self.allowance, self._sessions)
                self.gives = False
            self._told = words
        except OSError as error:
            _log.info("right of way: %s", error)


def settle(used: Mapping[str, tuple[Way, float]], cores: float) -> None:
    """`used`: by each, in cores, on a machine that has so many."""
    giving = who_gives_way({name: Use(way.allowance, each) for name, (way, each) in used.items()}, cores)
    for name, (way, _) in used.items():
        way.settle(name in giving)


def _now() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)
