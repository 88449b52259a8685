"""Request figures of the last quarter of an hour, by project and minute: pure bookkeeping, time is an argument.

Counts come from HAProxy's counters; times from a sample of its log, in which a line may stand for several requests."""

import random
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from cluster.router.admin import Count, Counters

Key = tuple[str, str]
MINUTES = 15
_KEPT = 400


@dataclass
class Minute:
    """`times` are milliseconds; each entry of `weights` says for how many requests the one of `times` stands."""

    requests: int = 0
    errors: int = 0
    sampled: int = 0
    times: "array[int]" = field(default_factory=lambda: array("I"))
    weights: "array[int]" = field(default_factory=lambda: array("I"))

    def sample(self, milliseconds: int, weight: int) -> None:
        """Keep it; of very many, keep a fair choice (reservoir sampling)."""
        self.sampled += 1
        if len(self.times) < _KEPT:
            self.times.append(milliseconds)
            self.weights.append(weight)
        elif (place := random.randrange(self.sampled)) < _KEPT:
            self.times[place] = milliseconds
            self.weights[place] = weight


class Metrics:
    """`since`: when we began to count (in seconds since the epoch, like every time here)."""

    def __init__(self, since: float):
        self._since = since
        self._last = Counters(0, {})
        self._projects: dict[Key, dict[int, Minute]] = {}

    def begin(self, counters: Counters) -> None:
        """What was counted before we came is not of this window."""
        self._last = counters

    def count(self, counters: Counters, owners: Mapping[str, Key], now: float) -> None:
        """Take what came since the last call as of now; another worker began at zero. `owners`: slot -> project."""
        before = self._last.slots if counters.worker == self._last.worker else {}
        for slot, count in counters.slots.items():
            last = before.get(slot, Count(0, 0))
            key = owners.get(slot)
            if key is not None and count.requests > last.requests:
                minute = self._minute(key, now)
                minute.requests += count.requests - last.requests
                minute.errors += max(0, count.errors - last.errors)
        self._last = counters

    def sample(self, key: Key, milliseconds: int, weight: int, now: float) -> None:
        self._minute(key, now).sample(milliseconds, weight)

    def forget(self, keep: Mapping[str, Key]) -> None:
        """Drop the figures of projects that are no more."""
        wanted = set(keep.values())
        for key in [key for key in self._projects if key not in wanted]:
            del self._projects[key]

    def answer(self, key: Key, now: float) -> dict[str, object]:
        """The figures as the API shows them; percentiles are null when nothing was sampled."""
        current = int(now // 60)
        known = self._projects.get(key, {})
        window = {n: known.get(n, Minute()) for n in range(current - MINUTES + 1, current + 1)}
        total = sum(minute.requests for minute in window.values())
        begun = max(self._since, (current - MINUTES + 1) * 60.0)
        p50, p95, p99 = percentiles(list(window.values()), (0.50, 0.95, 0.99))
        return {
            "window": f"PT{MINUTES}M",
            "total": total,
            "errors": sum(minute.errors for minute in window.values()),
            "perSecond": round(total / max(1.0, now - begun), 3),
            "p50Ms": p50,
            "p95Ms": p95,
            "p99Ms": p99,
            "sampled": sum(minute.sampled for minute in window.values()),
            "series": [
                {"at": _timestamp(n), "requests": minute.requests, "errors": minute.errors}
                for n, minute in window.items()
            ],
        }

    def _minute(self, key: Key, now: float) -> Minute:
        number = int(now // 60)
        minutes = self._projects.setdefault(key, {})
        if number not in minutes:
            for old in [n for n in minutes if n <= number - MINUTES]:
                del minutes[old]
            minutes[number] = Minute()
        return minutes[number]


def percentiles(minutes: list[Minute], ranks: tuple[float, ...]) -> list[int | None]:
    """By nearest rank over the weighted samples; a kept sample also stands for those of its minute not kept."""
    weighted: list[tuple[int, float]] = []
    for minute in minutes:
        scale = minute.sampled / max(1, len(minute.times))
        weighted += [(time, weight * scale) for time, weight in zip(minute.times, minute.weights, strict=True)]
    if not weighted:
        return [None for _ in ranks]
    weighted.sort()
    everything = sum(weight for _, weight in weighted)
    return [_at(weighted, rank * everything) for rank in ranks]


def _at(weighted: list[tuple[int, float]], wanted: float) -> int:
    reached = 0.0
    for time, weight in weighted:
        reached += weight
        if reached >= wanted - 1e-9:
            return time
    return weighted[-1][0]


def _timestamp(minute: int) -> str:
    return datetime.fromtimestamp(minute * 60, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
