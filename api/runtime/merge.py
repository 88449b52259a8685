"""Lines of several nodes made into one sequence."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any, TypeVar

from api.runtime.protocol import LogLine

T = TypeVar("T")
_WAITING = 1000


def newest(lines: list[tuple[str, LogLine]], limit: int) -> list[tuple[str, LogLine]]:
    """The newest `limit` lines, oldest first. Sorting is stable, so each node's own order stays."""
    ordered = sorted(lines, key=lambda entry: (entry[1].at, entry[0]))
    return ordered[-limit:] if limit else []


async def merged_streams(
    names: Callable[[], set[str]],
    open_stream: Callable[[str], AsyncGenerator[T, None]],
    subscribe: Callable[[Callable[[Any, Any], None]], Callable[[], None]],
) -> AsyncGenerator[T, None]:
    """What the streams of all `names` give, as it comes; a name that appears later is joined.

    `subscribe` calls back whenever `names` may give others. A slow reader holds the streams back."""
    queue: asyncio.Queue[T] = asyncio.Queue(_WAITING)
    tasks: dict[str, asyncio.Task[None]] = {}

    async def pump(name: str) -> None:
        async for item in open_stream(name):
            await queue.put(item)

    def join(_old: Any = None, _new: Any = None) -> None:
        for name in names() - tasks.keys():
            tasks[name] = asyncio.create_task(pump(name))

    unsubscribe = subscribe(join)
    try:
        join()
        while True:
            yield await queue.get()
    finally:
        unsubscribe()
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
