"""What goes on for a while, told from what comes and goes: a record is no place for that. Pure."""

from collections.abc import Callable, Collection, Hashable
from typing import Generic, TypeVar

_OVER_SECONDS = 30.0
# So long it may be away between two looks without having ended.
_SAME_SECONDS = 10.0


Sign = TypeVar("Sign", bound=Hashable)


class Lasting(Generic[Sign]):
    """Each sign counts when it went on for `after` of it, until it was over for a while; in seconds of any clock."""

    def __init__(self, after: Callable[[Sign], float]) -> None:
        self._after = after
        self._begun: dict[Sign, float] = {}
        self._seen: dict[Sign, float] = {}
        self._lasting: set[Sign] = set()
        self._before: Collection[Sign] = ()

    def look(self, signs: Collection[Sign], now: float) -> frozenset[Sign]:
        """Those that last, after this look."""
        for sign in signs:
            # Looks come late on a busy machine.
            if sign not in self._before and now - self._seen.get(sign, float("-inf")) > _SAME_SECONDS:
                self._begun[sign] = now
            self._seen[sign] = now
            if now - self._begun[sign] >= self._after(sign):
                self._lasting.add(sign)
        self._before = signs
        self._forget(now)
        return frozenset(self._lasting)

    def _forget(self, now: float) -> None:
        for sign in [sign for sign, seen in self._seen.items() if now - seen >= _OVER_SECONDS]:
            del self._seen[sign], self._begun[sign]
            self._lasting.discard(sign)
