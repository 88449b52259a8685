"""One build of a project at a time on a node, whoever ordered it: what two of them share (the project's caches) would
be a way from one to the other, by a socket there."""

import asyncio
import contextlib
import weakref
from collections.abc import AsyncIterator
from pathlib import Path

from cluster.builder.step import end_leftovers

_turns: weakref.WeakValueDictionary[Path, asyncio.Lock] = weakref.WeakValueDictionary()


@contextlib.asynccontextmanager
async def a_turn(lock: Path) -> AsyncIterator[None]:
    """`lock`: the one that all steps of the project's builds hold. Who still holds it when it is our turn was left by
    an agent that was killed, or by a build that was, and is ended first."""
    lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    async with _turns.setdefault(lock, asyncio.Lock()):
        await end_leftovers(lock)
        yield
