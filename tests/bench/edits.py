"""Edits of many records at a time, and how many of them a second are answered."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from crds.client.transport import Transport
from tests.bench.watched import edit

Done = Callable[[], bool]
_AT_REST_SECONDS, _AT_REST_WRITES = 0.5, 5
"""Leases are renewed all the time."""


async def in_parallel(jobs: Sequence[Callable[[], Awaitable[object]]], width: int = 32) -> None:
    left = iter(jobs)

    async def worker() -> None:
        for job in left:
            await job()

    await asyncio.gather(*(worker() for _ in range(width)))


async def until(done: Done, seconds: float = 120) -> None:
    async with asyncio.timeout(seconds):
        while not done():
            await asyncio.sleep(0.0005)


def all_of(names: Sequence[str], reached: Callable[[str], bool]) -> Done:
    """Whether all have reached it, which none ever leaves: each is asked for once, not at every look."""
    left = list(names)

    def done() -> bool:
        while left and reached(left[-1]):
            left.pop()
        return not left

    return done


async def rates(
    transport: Transport, paths: list[str], rounds: Sequence[tuple[Mapping[str, object], Callable[[], Done]]]
) -> list[float]:
    """Of each round, which is what to write into each spec, and how to see that all are answered."""
    return [await _rate(transport, paths, spec, watch()) for spec, watch in rounds]


async def _rate(transport: Transport, paths: list[str], spec: Mapping[str, object], done: Done) -> float:
    await _at_rest(transport)
    began = time.monotonic()
    await in_parallel([partial(edit, transport, path, spec) for path in paths])
    async with asyncio.timeout(120):
        while not done():
            await asyncio.sleep(0.01)
    return len(paths) / (time.monotonic() - began)


async def _at_rest(transport: Transport) -> None:
    """What was made before sets off work of its own, which is not what is measured."""
    before = await _version(transport)
    while True:
        await asyncio.sleep(_AT_REST_SECONDS)
        now = await _version(transport)
        if now - before <= _AT_REST_WRITES:
            return
        before = now


async def _version(transport: Transport) -> int:
    found = await transport.request("GET", "/api/v1/namespaces", query={"limit": 1})
    return int(found["metadata"]["resourceVersion"])
