"""The work queue: once each, one at a time each, again after a failure."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from cluster.scheduler.queue import WorkQueue
from crds.client.errors import Conflict


@asynccontextmanager
async def workers(
    queue: WorkQueue[str], handle: Callable[[str], Awaitable[None]], count: int = 3
) -> AsyncIterator[asyncio.Event]:
    may_act = asyncio.Event()
    tasks = [asyncio.create_task(queue.work(handle, may_act)) for _ in range(count)]
    try:
        yield may_act
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.001)


async def test_nothing_is_done_before_it_may_act_and_then_each_key_once() -> None:
    queue, done = WorkQueue[str](), list[str]()

    async def handle(key: str) -> None:
        done.append(key)

    async with workers(queue, handle) as may_act:
        for key in "aabab":
            queue.add(key)
        await asyncio.sleep(0)
        assert done == []
        may_act.set()
        await until(lambda: len(queue) == 0)
        assert sorted(done) == ["a", "b"]


async def test_a_key_that_comes_again_while_worked_on_waits_its_turn() -> None:
    queue, running, most, done = WorkQueue[str](), 0, 0, 0
    go_on = asyncio.Event()

    async def handle(_key: str) -> None:
        nonlocal running, most, done
        running += 1
        most = max(most, running)
        await go_on.wait()
        running -= 1
        done += 1

    async with workers(queue, handle) as may_act:
        may_act.set()
        queue.add("a")
        await until(lambda: running == 1)
        queue.add("a")
        queue.add("a")
        await asyncio.sleep(0.01)
        go_on.set()
        await until(lambda: len(queue) == 0)
        assert (most, done) == (1, 2)


async def test_a_failure_is_tried_again_and_others_go_on() -> None:
    queue, tries, done = WorkQueue[str](), dict[str, int](), list[str]()

    async def handle(key: str) -> None:
        tries[key] = tries.get(key, 0) + 1
        if key == "bad" and tries[key] < 3:
            raise Conflict("somebody was quicker")
        done.append(key)

    async with workers(queue, handle, count=1) as may_act:
        may_act.set()
        queue.add("bad")
        queue.add("good")
        await until(lambda: len(done) == 2)
        assert done == ["good", "bad"]
        assert tries == {"bad": 3, "good": 1}
