"""Instances of the examples as real processes: they answer, log, end politely and are found again."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from cluster.node.log_file import read_all
from cluster.node.process import Process, StillRunning
from tests.unit.cluster.eventually import eventually
from tests.unit.cluster.node.stage import Running, Stage
from tests.unit.cluster.repositories import example, repository


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    stage = Stage(tmp_path)
    follower = asyncio.ensure_future(stage.logs.run())
    yield stage
    follower.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await follower
    await stage.close()


async def _get(run: Running, path: str = "/") -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://{run.state.address}{path}") as answer:
        return answer.status, await answer.text()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hello", "Good day"),
        ("flask", "Good day"),
        ("node", "Good day"),
        ("static", "A static site"),
        ("worker", "web"),
    ],
)
async def test_each_example_answers(stage: Stage, tmp_path: Path, name: str, said: str) -> None:
    release = await stage.bench.build(str(tmp_path / "repo"), example(name, tmp_path / "repo"))
    run = await stage.start(release, variables={"GREETING": "Good day"})
    status, text = await _get(run)
    assert status == 200
    assert said in text
    await run.process.stop(5)
    assert run.folder.reaper() is None
    assert run.folder.exit_code() in (0, 143)


async def test_its_lines_are_in_the_log_also_the_last_without_an_end(stage: Stage, tmp_path: Path) -> None:
    code = "import sys\nprint('first')\nprint('problem', file=sys.stderr)\nprint('last', end='')\nsys.exit(3)\n"
    release = await stage.bench.build(str(tmp_path / "repo"), repository(tmp_path / "repo", {"main.py": code}))
    run = await stage.start(release, wait=False)
    assert await run.process.wait() == 3
    stage.logs.flush(run.state.uid)
    lines = list(read_all(stage.logs.path(run.state)))
    assert {(line["stream"], line["line"]) for line in lines} == {
        ("stdout", "first"),
        ("stderr", "problem"),
        ("stdout", "last"),
    }
    assert [line["at"] for line in lines] == sorted({line["at"] for line in lines})


async def test_a_run_is_adopted_and_never_doubled(stage: Stage, tmp_path: Path) -> None:
    release = await stage.bench.build(str(tmp_path / "repo"), example("hello", tmp_path / "repo"))
    run = await stage.start(release)
    run.process.abandon()
    with pytest.raises(StillRunning):
        await stage.start(release, wait=False, uid=run.state.uid)
    adopted = Process.adopt(run.folder)
    assert adopted is not None
    assert (await _get(run))[0] == 200
    waiting = asyncio.ensure_future(adopted.wait())
    await adopted.stop(5)
    assert await waiting == 0
    assert Process.adopt(run.folder) is None
    assert await eventually(lambda: not run.folder.alive())
