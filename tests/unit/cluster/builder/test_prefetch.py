"""Fetching ahead: two refs of one project often stand at the same commit."""

import asyncio
from pathlib import Path

from cluster.builder.git import Source
from cluster.builder.prefetch import prefetch
from cluster.sandbox.processes import lock_free
from tests.unit.cluster.builder.bench import Bench
from tests.unit.cluster.repositories import repository


async def test_a_second_look_does_not_take_away_the_folder_of_the_first(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    commit = repository(tmp_path / "repo", {"main.py": "print(1)"})
    source = Source(str(tmp_path / "repo"), commit, "main")

    def ahead() -> asyncio.Future[None]:
        return asyncio.ensure_future(prefetch(bench.workshop, bench.store, "p1", source))

    first = ahead()
    async with asyncio.timeout(20):
        # Its sandbox has the folder by now.
        while not list((bench.workshop.state / "prefetch").glob("*/fetch.err")):
            await asyncio.sleep(0)
    await asyncio.gather(first, ahead(), ahead())
    assert bench.store.find({"kind": "source", "project": "p1", "commit": commit})
    assert list((bench.workshop.state / "prefetch").iterdir()) == []


def test_a_lock_that_is_not_there_is_free_and_is_not_made(tmp_path: Path) -> None:
    assert lock_free(tmp_path / "gone" / "lock")
    assert lock_free(tmp_path / "lock")
    assert not (tmp_path / "lock").exists()
