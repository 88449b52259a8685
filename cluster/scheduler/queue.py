"""A work queue of keys: each at most once in the queue, each by one worker at a time, retried with back-off."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from crds.client.errors import ApiError, Conflict

K = TypeVar("K")
_log = logging.getLogger(__name__)
_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 10.0


class WorkQueue(Generic[K]):
    """`add` is cheap and may be called from anywhere in the loop; a key that comes again while it is worked on is
    worked on once more afterwards."""

    def __init__(self) -> None:
        self._waiting: dict[K, None] = {}
        self._running: set[K] = set()
        self._failures: dict[K, int] = {}
        self._news = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._running)

    def add(self, key: K) -> None:
        self._waiting[key] = None
        self._news.set()

    async def work(self, handle: Callable[[K], Awaitable[None]], may_act: asyncio.Event) -> None:
        """One worker, for ever; start several. Nothing is taken while `may_act` is not set."""
        while True:
            key = await self._take(may_act)
            try:
                await handle(key)
                self._failures.pop(key, None)
            except Exception as error:
                self._retry(key, error)
            finally:
                self._running.discard(key)
                self._news.set()

    async def _take(self, may_act: asyncio.Event) -> K:
        while True:
            await may_act.wait()
            key = next((key for key in self._waiting if key not in self._running), None)
            if key is not None:
                del self._waiting[key]
                self._running.add(key)
                return key
            self._news.clear()
            await self._news.wait()

    def _retry(self, key: K, error: Exception) -> None:
        count = self._failures[key] = self._failures.get(key, 0) + 1
        if isinstance(error, ApiError):
            _log.log(logging.DEBUG if isinstance(error, Conflict) else logging.INFO, "%s: %s", key, error)
        else:
            _log.error("%s failed", key, exc_info=error)
        delay = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(count, 12)) * random.uniform(0.7, 1.0)
        asyncio.get_running_loop().call_later(delay, self.add, key)
