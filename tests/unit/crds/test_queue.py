"""The work queue: no key twice at once, none lost, failures come again."""

import asyncio
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from crds.client.backoff import pause_after
from crds.client.queue import WorkQueue


async def until(condition, seconds: float = 5.0) -> None:  # type: ignore[no-untyped-def]
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.001)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=30))
def test_every_key_is_worked_after_its_last_add_and_never_twice_at_once(keys: list[str]) -> None:
    async def scenario() -> None:
        busy: Counter[str] = Counter()
        seen: dict[str, int] = {}
        added: dict[str, int] = {}

        async def work(key: str) -> None:
            busy[key] += 1
            assert busy[key] == 1
            upto = added[key]
            await asyncio.sleep(0)
            seen[key] = upto
            busy[key] -= 1

        queue: WorkQueue[str] = WorkQueue(work, workers=4)
        task = asyncio.create_task(queue.run())
        for number, key in enumerate(keys):
            added[key] = number
            queue.add(key)
            if number % 3 == 0:
                await asyncio.sleep(0)
        await until(lambda: seen == added)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scenario())


async def test_a_key_added_while_in_work_is_worked_again() -> None:
    started, go, runs = asyncio.Event(), asyncio.Event(), []

    async def work(key: str) -> None:
        runs.append(key)
        started.set()
        await go.wait()

    queue: WorkQueue[str] = WorkQueue(work)
    task = asyncio.create_task(queue.run())
    queue.add("a")
    await started.wait()
    queue.add("a")
    queue.add("a")
    go.set()
    await until(lambda: runs == ["a", "a"] and not queue.depth().working)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_failure_comes_again_and_is_counted() -> None:
    runs: list[str] = []

    async def work(key: str) -> None:
        runs.append(key)
        if len(runs) < 3:
            raise RuntimeError("not now")

    queue: WorkQueue[str] = WorkQueue(work)
    task = asyncio.create_task(queue.run())
    queue.add("a")
    await until(lambda: len(runs) == 3)
    await until(lambda: queue.depth().failing == 0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_it_goes_on_after_it_was_stopped() -> None:
    """As when leadership is lost and won again: what came meanwhile is worked, and what was in work can be added."""
    runs: list[str] = []
    hold = asyncio.Event()

    async def work(key: str) -> None:
        runs.append(key)
        await hold.wait()

    queue: WorkQueue[str] = WorkQueue(work)
    task = asyncio.create_task(queue.run())
    queue.add("a")
    queue.add_later("c", 60)
    await until(lambda: runs == ["a"])
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    queue.add("b")
    await asyncio.sleep(0)
    assert runs == ["a"]
    hold.set()
    task = asyncio.create_task(queue.run())
    for key in "ac":
        queue.add(key)
    await until(lambda: sorted(runs) == ["a", "a", "b", "c"] and not queue.depth().working)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_the_earlier_of_two_timers_counts() -> None:
    runs: list[str] = []

    async def work(key: str) -> None:
        runs.append(key)

    queue: WorkQueue[str] = WorkQueue(work)
    task = asyncio.create_task(queue.run())
    queue.add_later("a", 0.01)
    queue.add_later("a", 60)
    await until(lambda: runs == ["a"])
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_back_off_is_capped_and_jittered() -> None:
    assert all(0.03 <= pause_after(1) <= 0.05 for _ in range(20))
    assert all(pause_after(100) <= 5 for _ in range(20))
