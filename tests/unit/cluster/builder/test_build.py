"""Whole builds of real repositories in the real sandbox."""

from pathlib import Path

import pytest

from cluster.builder.bytecode import finish_compiling
from cluster.builder.errors import BuildFailed
from cluster.builder.git import resolve
from tests.unit.cluster.builder.bench import Bench
from tests.unit.cluster.repositories import commit, example, git, repository, write


@pytest.mark.parametrize(
    ("name", "runtime", "processes"),
    [
        ("hello", "python", ["web"]),
        ("static", "static", ["web"]),
        ("worker", "procfile", ["web", "worker"]),
        ("flask", "python", ["web"]),
        ("node", "node", ["web"]),
    ],
)
async def test_each_example_builds_and_a_second_time_at_once(
    tmp_path: Path, name: str, runtime: str, processes: list[str]
) -> None:
    bench = Bench(tmp_path)
    first = example(name, tmp_path / "repo")
    release = await bench.build(str(tmp_path / "repo"), first)
    assert release.runtime == runtime
    assert [process.name for process in release.processes] == processes
    assert release.commit_message == f"Example {name}"
    manifest = bench.store.read(release.artifact)
    assert manifest is not None
    assert manifest["mounts"][0]["target"] == "/app"
    assert [line["seq"] for line in bench.lines()] == list(range(1, len(bench.lines()) + 1))
    write(tmp_path / "repo", {"more.txt": "more"})
    second = commit(tmp_path / "repo")
    again = await bench.build(str(tmp_path / "repo"), second)
    assert again.artifact != release.artifact
    assert "Installing" not in bench.text()
    await finish_compiling()


async def test_refs_are_resolved(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    repo = tmp_path / "repo"
    first = repository(repo, {"main.py": "print(1)"})
    git(repo, "tag", "-a", "v1", "-m", "one")
    git(repo, "branch", "old")
    second = commit(repo)
    assert await resolve(bench.workshop, str(repo), "") == second
    assert await resolve(bench.workshop, f"file://{repo}", "main") == second
    assert await resolve(bench.workshop, str(repo), "old") == first
    assert await resolve(bench.workshop, str(repo), "v1") == first
    assert await resolve(bench.workshop, str(repo), first) == first
    with pytest.raises(BuildFailed, match="no branch or tag 'gone'"):
        await resolve(bench.workshop, str(repo), "gone")
