"""Waiting for a condition with a deadline."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def eventually(look: Callable[[], T], seconds: float = 15.0, what: str = "") -> T:
    """The first true thing that `look` answers. Raises AssertionError at the deadline."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not (found := look()):
        assert loop.time() < end, f"not within {seconds} s: {what or look}"
        await asyncio.sleep(0.01)
    return found
