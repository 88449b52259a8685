"""Token buckets: so many requests a minute for each caller, with the whole minute's worth as a burst."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from time import monotonic

from api.problems import Problem

_MOST_BUCKETS = 50_000


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class RateLimit:
    """One limit for many callers, each named by a string. In memory: each replica counts for itself."""

    def __init__(self, per_minute: int, name: str, clock: Callable[[], float] = monotonic):
        self._capacity = float(per_minute)
        self._per_second = per_minute / 60
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._clock = clock
        self._name = name
        self._policy = (b"ratelimit-policy", f'"{name}";q={per_minute};w=60'.encode())

    def take(self, caller: str) -> tuple[tuple[bytes, bytes], ...]:
        """Spend one token: the headers that say how many are left. 429 when there is none."""
        now = self._clock()
        bucket = self._buckets.get(caller)
        if bucket is None:
            bucket = self._buckets[caller] = _Bucket(self._capacity, now)
            if len(self._buckets) > _MOST_BUCKETS:
                self._buckets.popitem(last=False)
        else:
            bucket.tokens = min(self._capacity, bucket.tokens + (now - bucket.at) * self._per_second)
            bucket.at = now
        if bucket.tokens < 1:
            raise self._refusal((1 - bucket.tokens) / self._per_second)
        bucket.tokens -= 1
        return (self._policy, (b"ratelimit", b'"%b";r=%d;t=1' % (self._name.encode(), int(bucket.tokens))))

    def _refusal(self, wait: float) -> Problem:
        seconds = max(1, ceil(wait))
        return Problem(
            "rate_limited",
            f"More than {int(self._capacity)} requests in a minute. Try again in {seconds} s.",
            headers={
                "Retry-After": str(seconds),
                "RateLimit-Policy": self._policy[1].decode(),
                "RateLimit": f'"{self._name}";r=0;t={seconds}',
            },
        )
