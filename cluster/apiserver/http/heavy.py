"""Where big requests are worked out: beside the event loop, one after the other, so that nobody else waits for them."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cluster.apiserver.errors import ApiError
from cluster.apiserver.http.response import Response
from cluster.apiserver.verbs.stored import Stale

HEAVY_BYTES = 64 * 1024
_ATTEMPTS = 5

T = TypeVar("T")
Answering = Callable[[], Awaitable[Response]]
"""Works out what is to be stored; what it answers with stores it, and is for the event loop."""


class HeavyLane:
    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="heavy")

    async def work(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def answer(self, answering: Answering) -> Response:
        """Worked out anew as long as others change the object meanwhile. Raises the 409 of who was too slow."""
        for _ in range(_ATTEMPTS):
            try:
                return await (await self.work(answering))
            except Stale:
                continue
        told = f"others changed the object each of {_ATTEMPTS} times that this was worked out: try again"
        raise ApiError(409, "Conflict", told, {})
