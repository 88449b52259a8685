"""Fetching ahead: two refs of one project often stand at the same commit."""

import asyncio
from pathlib import Path

import pytest

from cluster.builder.git import Source
from cluster.builder.prefetch import Prefetch
from cluster.sandbox.processes import lock_free
from tests.unit.cluster.builder.bench import Bench
from tests.unit.cluster.repositories import git, repository


async def test_a_second_look_does_not_take_away_the_folder_of_the_first(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    commit = repository(tmp_path / "repo", {"main.py": "print(1)"})
    source = Source(str(tmp_path / "repo"), commit, "main")

    def ahead() -> asyncio.Future[None]:
        return asyncio.ensure_future(Prefetch(bench.workshop, bench.store, "p1").commit(source))

    first = ahead()
    async with asyncio.timeout(20):
        # Its sandbox has the folder by now.
        while not list((bench.workshop.state / "prefetch").glob("*/checkout/fetch.err")):
            await asyncio.sleep(0)
    await asyncio.gather(first, ahead(), ahead())
    assert bench.store.find({"kind": "source", "project": "p1", "commit": commit})
    assert list((bench.workshop.state / "prefetch").iterdir()) == []


def test_a_lock_that_is_not_there_is_free_and_is_not_made(tmp_path: Path) -> None:
    assert lock_free(tmp_path / "gone" / "lock")
    assert lock_free(tmp_path / "lock")
    assert not (tmp_path / "lock").exists()


@pytest.mark.parametrize("branch", ["main", ""])
async def test_a_branch_is_known_by_being_fetched(tmp_path: Path, branch: str) -> None:
    bench, told = Bench(tmp_path), list[str]()
    commit = repository(tmp_path / "repo", {"main.py": "print(1)"})
    await Prefetch(bench.workshop, bench.store, "p1").branch(str(tmp_path / "repo"), branch, told.append)
    assert told == [commit]
    digest = bench.store.find({"kind": "source", "project": "p1", "commit": commit})
    assert (bench.store.path(digest or "") / "tree" / "main.py").read_text() == "print(1)"


async def test_it_is_told_before_its_files_are_here(tmp_path: Path) -> None:
    bench, there = Bench(tmp_path), list[str | None]()
    repository(tmp_path / "repo", {"main.py": "print(1)"})

    def tell(commit: str) -> None:
        there.append(bench.store.find({"kind": "source", "project": "p1", "commit": commit}))

    await Prefetch(bench.workshop, bench.store, "p1").branch(str(tmp_path / "repo"), "main", tell)
    assert there == [None]


@pytest.mark.parametrize("branch", ["gone", "v1", "--upload-pack=x", "a b"])
async def test_what_is_no_branch_tells_nothing(tmp_path: Path, branch: str) -> None:
    """A tag is none: looking it up takes a listing, which others do."""
    bench, told = Bench(tmp_path), list[str]()
    repository(tmp_path / "repo", {"main.py": "print(1)"})
    git(tmp_path / "repo", "tag", "v1")
    await Prefetch(bench.workshop, bench.store, "p1").branch(str(tmp_path / "repo"), branch, told.append)
    assert told == []
    assert list((bench.workshop.state / "prefetch").iterdir()) == []
