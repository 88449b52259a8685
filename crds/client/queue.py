"""A keyed work queue: each key at most once in the queue and at most once in work; what fails comes again later."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from crds.client.backoff import pause_after
from crds.client.errors import ApiError, Conflict

K = TypeVar("K", bound=Hashable)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Depth:
    """What the queue holds right now; `oldest_seconds` is how long its first key has waited."""

    waiting: int
    working: int
    delayed: int
    failing: int
    oldest_seconds: float


class WorkQueue(Generic[K]):
    """`work(key)` answers after how many seconds to look again (None: when an event comes); what it raises is retried
    with a capped, jittered back-off. A key that is added while in work is worked again."""

    def __init__(self, work: Callable[[K], Awaitable[float | None]], workers: int = 16):
        self._work = work
        self._workers = workers
        self._waiting: dict[K, float] = {}
        self._working: set[K] = set()
        self._again: set[K] = set()
        self._timers: dict[K, asyncio.TimerHandle] = {}
        self._failures: dict[K, int] = {}
        self._something = asyncio.Event()
        self.done_count = 0

    def add(self, key: K) -> None:
        """Have it worked soon. Cheap, and safe to repeat."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()
        if key in self._working:
            self._again.add(key)
        elif key not in self._waiting:
            self._waiting[key] = time.monotonic()
            self._something.set()

    def add_later(self, key: K, seconds: float) -> None:
        """Have it worked then, unless it is worked before."""
        old = self._timers.pop(key, None)
        loop = asyncio.get_running_loop()
        when = loop.time() + seconds
        if old is not None:
            when = min(when, old.when())
            old.cancel()
        self._timers[key] = loop.call_at(when, self._due, key)

    def _due(self, key: K) -> None:
        self._timers.pop(key, None)
        self.add(key)

    def depth(self) -> Depth:
        oldest = next(iter(self._waiting.values()), None)
        return Depth(
            waiting=len(self._waiting),
            working=len(self._working),
            delayed=len(self._timers),
            failing=len(self._failures),
            oldest_seconds=0.0 if oldest is None else time.monotonic() - oldest,
        )

    async def run(self) -> None:
        """Work until cancelled; then it can be run again, with what was added meanwhile."""
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._workers):
                    group.create_task(self._worker())
        finally:
            for timer in self._timers.values():
                timer.cancel()
            self._timers.clear()

    async def _worker(self) -> None:
        while True:
            while not self._waiting:
                self._something.clear()
                await self._something.wait()
            key = next(iter(self._waiting))
            del self._waiting[key]
            self._working.add(key)
            try:
                await self._once(key)
            finally:
                self._working.discard(key)
                if key in self._again:
                    self._again.discard(key)
                    self.add(key)

    async def _once(self, key: K) -> None:
        try:
            again_in = await self._work(key)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._failed(key, error)
            return
        self._failures.pop(key, None)
        self.done_count += 1
        if again_in is not None and key not in self._again:
            self.add_later(key, again_in)

    def _failed(self, key: K, error: Exception) -> None:
        failures = self._failures.get(key, 0) + 1
        self._failures[key] = failures
        pause = pause_after(failures)
        if isinstance(error, ApiError):
            # Of a Conflict there is nothing to tell: somebody was quicker, and the newer version is on its way here.
            level = logging.DEBUG if isinstance(error, Conflict) else logging.INFO
            _log.log(level, "%s: again in %.2f s: %s", key, pause, error)
        else:
            _log.error("%s failed (%d in a row), again in %.2f s", key, failures, pause, exc_info=error)
        with contextlib.suppress(RuntimeError):
            self.add_later(key, pause)
