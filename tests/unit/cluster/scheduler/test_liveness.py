"""Who is alive, by our own clock."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from cluster.scheduler.liveness import Liveness
from crds.models.core import Lease, LeaseSpec
from crds.models.record import Metadata


def lease(age: float) -> Lease:
    spec = LeaseSpec(renew_time=datetime.now(UTC) - timedelta(seconds=age), lease_duration_seconds=15)
    return Lease(metadata=Metadata(name="node-a"), spec=spec)


class Watcher:
    def __init__(self, seconds: float, silent: bool = True):
        self.changes = list[str]()
        self.silent = silent
        self.asked = 0
        self.liveness = Liveness(seconds, self._still_silent, self.changes.append)

    async def _still_silent(self, _node: str) -> bool:
        self.asked += 1
        return self.silent


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.005)


async def test_a_node_is_alive_with_its_fresh_lease_and_lost_without_renewal() -> None:
    watcher = Watcher(0.1)
    assert not watcher.liveness.alive("a")
    watcher.liveness.seen("a", lease(1))
    assert watcher.liveness.alive("a")
    await until(lambda: watcher.liveness.lost("a"))
    assert watcher.changes == ["a", "a"]
    watcher.liveness.seen("a", lease(0))
    assert watcher.liveness.alive("a")
    assert watcher.changes == ["a", "a", "a"]
    watcher.liveness.close()


async def test_an_old_lease_at_first_sight_is_neither_alive_nor_lost() -> None:
    watcher = Watcher(60)
    watcher.liveness.seen("a", lease(3600))
    assert not watcher.liveness.alive("a")
    assert not watcher.liveness.lost("a")
    watcher.liveness.seen("a", lease(3595))
    assert watcher.liveness.alive("a"), "any renewal is a sign of life, whatever its clock says"
    watcher.liveness.close()


async def test_a_node_without_any_lease_is_lost_in_the_end() -> None:
    watcher = Watcher(0.05)
    assert not watcher.liveness.lost("a")
    await until(lambda: watcher.liveness.lost("a"))
    watcher.liveness.close()


async def test_nobody_is_lost_while_the_api_server_cannot_be_asked() -> None:
    watcher = Watcher(0.02, silent=False)
    watcher.liveness.seen("a", lease(0))
    await until(lambda: watcher.asked >= 3)
    assert watcher.liveness.alive("a")
    watcher.liveness.close()


async def test_being_cut_off_starts_every_clock_over() -> None:
    watcher = Watcher(0.3)
    watcher.liveness.seen("a", lease(0))
    for _ in range(5):
        await asyncio.sleep(0.1)
        watcher.liveness.start_over()
    assert watcher.liveness.alive("a")
    assert watcher.asked == 0
    watcher.liveness.close()
