"""What an instance is held back for while it runs on. Said when it has gone on for a while, until it was over for a
while: a record is no place for what comes and goes. Pure."""

from collections.abc import Collection
from dataclasses import dataclass

from cluster.node.restart import Cause


@dataclass(frozen=True)
class Kind:
    """`after`: seconds that it goes on before it is said."""

    cause: Cause
    after: float


PROCESSES = Kind(
    Cause("TooManyProcesses", "It has as many processes and threads as it may have: it cannot start more."), 3.0
)
OUTPUT = Kind(Cause("TooMuchOutput", "It writes more output than can be kept: what is too much is dropped."), 3.0)
CPU = Kind(Cause("GivesWay", "It computes all the time: it runs while nobody else wants the CPU."), 20.0)
_WORST_FIRST = (PROCESSES, OUTPUT, CPU)
_OVER_SECONDS = 30.0
# So long it may be away between two looks without having ended.
_SAME_SECONDS = 10.0


class Strain:
    """Of one run, in seconds of any clock."""

    def __init__(self) -> None:
        self._begun: dict[Kind, float] = {}
        self._seen: dict[Kind, float] = {}
        self._said: set[Kind] = set()
        self._before: Collection[Kind] = ()

    def look(self, signs: Collection[Kind], now: float) -> Cause | None:
        """What is to be said of it after this look."""
        for kind in signs:
            # Looks come late on a busy machine.
            if kind not in self._before and now - self._seen.get(kind, float("-inf")) > _SAME_SECONDS:
                self._begun[kind] = now
            self._seen[kind] = now
            if now - self._begun[kind] >= kind.after:
                self._said.add(kind)
        self._before = signs
        self._said = {kind for kind in self._said if now - self._seen[kind] < _OVER_SECONDS}
        return next((kind.cause for kind in _WORST_FIRST if kind in self._said), None)
