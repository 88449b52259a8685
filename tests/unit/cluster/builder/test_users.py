"""Builds as root: each step runs as the project's user, or that of downloads, and nothing of it is root's."""

import json
import os
from pathlib import Path

import pytest

from cluster.builder.build import Release
from cluster.builder.bytecode import finish_compiling
from cluster.builder.errors import BuildFailed
from cluster.builder.git import Source, resolve
from cluster.builder.inspect import inspect
from cluster.builder.prefetch import Prefetch
from cluster.builder.repository import Refused
from cluster.sandbox.identity import DOWNLOADS, own_uid_of, uid_of
from tests.unit.cluster.builder.bench import Bench
from tests.unit.cluster.builder.test_inspect import PYTHON
from tests.unit.cluster.builder.test_installers import write_package
from tests.unit.cluster.eventually import eventually
from tests.unit.cluster.repositories import commit, example, git, repository, write

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
USER = uid_of("test", "acc-test", "one")
OTHER = uid_of("test", "acc-test", "two")
DOWNLOADER = own_uid_of("test", DOWNLOADS)
_LOOK = "import os, sys; status = open('/proc/self/status').read()\nopen('/dev/stderr', 'w').write(status)\n"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Below a folder that nobody but root may enter, as a data folder is."""
    tmp_path.chmod(0o700)
    return Bench(tmp_path / "bench", downloader=DOWNLOADER)


def owners(folder: Path) -> set[int]:
    return {path.lstat().st_uid for path in (folder, *folder.rglob("*"))}


def layer(bench: Bench, release: Release, part: str) -> Path:
    manifest = bench.store.read(release.artifact) or {}
    mount = next(each for each in manifest["mounts"] if each["part"] == part)
    return bench.store.path(mount["layer"]) / part


async def test_git_fetches_as_the_project(bench: Bench, tmp_path: Path) -> None:
    first = repository(tmp_path / "repo", {"main.py": "print(1)", "deep/link": ""})
    assert await resolve(bench.workshop, str(tmp_path / "repo"), "main", USER) == first
    ahead = Prefetch(bench.workshop, bench.store, "p1", USER)
    await ahead.commit(Source(str(tmp_path / "repo"), first, "main"))
    assert owners(bench.workshop.cache("p1", "git")) == {USER}
    release = await bench.build(str(tmp_path / "repo"), first, uid=USER)
    assert "here already" in bench.text()
    assert owners(layer(bench, release, "tree")) <= {USER, 0}
    seen = await inspect(str(tmp_path / "repo"), "main", scratch=tmp_path / "scratch", python=PYTHON, uid=OTHER)
    assert seen.commit == first


async def test_downloads_run_nobodys_code_and_are_another_users(bench: Bench, tmp_path: Path) -> None:
    release = await bench.build(str(tmp_path / "repo"), example("flask", tmp_path / "repo"), uid=USER)
    assert owners(bench.workshop.state / "caches-common/uv") == {DOWNLOADER}
    environment = layer(bench, release, "python")
    await eventually(lambda: list(environment.glob("lib/*/site-packages/flask/__pycache__/*.pyc")))
    await finish_compiling()
    assert owners(environment) == {DOWNLOADER}
    assert environment.stat().st_mode & 0o777 == 0o755, "the project's user has to read it"
    release = await bench.build(str(tmp_path / "node"), example("node", tmp_path / "node"), uid=USER)
    assert owners(bench.workshop.state / "caches-common/npm") == {DOWNLOADER}
    assert owners(layer(bench, release, "node_modules")) == {DOWNLOADER}


async def test_the_build_of_a_package_runs_as_the_project(bench: Bench, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    write_package(repo / "own")
    with (repo / "own/backend.py").open("a") as backend:
        backend.write(f"{_LOOK}open('/cache/made', 'w').write(status)\n")
    write(repo, {"requirements.txt": "./own\n", "main.py": ""})
    git(repo, "init", "-q", "-b", "main")
    first = commit(repo)
    for project, user in (("p1", USER), ("p2", OTHER)):
        release = await bench.build(str(repo), first, project=project, uid=user)
        made = bench.workshop.cache(project, "env") / "made"
        assert made.stat().st_uid == user
        status = made.read_text()
        assert f"Uid:\t{user}\t{user}\t{user}\t{user}" in status
        assert "Groups:\t \n" in status
        assert all(f"Cap{kind}:\t0000000000000000" in status for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb"))
        assert owners(layer(bench, release, "python")) == {user}
    await finish_compiling()


async def test_a_build_script_says_things_and_reaches_nothing_of_root(bench: Bench, tmp_path: Path) -> None:
    script = "id -u; echo by name > /dev/stderr; cat /etc/shadow; ls /root"
    files = {"package.json": json.dumps({"scripts": {"build": f"{script}; true", "start": "x"}}), "server.js": ""}
    repository(tmp_path / "repo", files)
    (tmp_path / "repo/sub").mkdir()
    (tmp_path / "repo/sub/link").symlink_to("../server.js")
    release = await bench.build(str(tmp_path / "repo"), commit(tmp_path / "repo"), uid=USER)
    lines = bench.text().splitlines()
    assert str(USER) in lines
    assert "by name" in lines
    assert not any(line.startswith("root:") for line in lines)
    tree = layer(bench, release, "tree")
    assert owners(tree) == {USER}
    assert (tree / "sub/link").is_symlink()


async def test_it_goes_on_after_builds_of_root(bench: Bench, tmp_path: Path) -> None:
    """A data folder from before there were users for builds."""
    repo = tmp_path / "repo"
    write_package(repo / "own")
    write(repo, {"requirements.txt": "./own\n", "main.py": ""})
    git(repo, "init", "-q", "-b", "main")
    before = Bench(tmp_path / "bench")
    old = await before.build(str(repo), commit(repo))
    cache = bench.workshop.cache("p1", "env")
    outside = layer(bench, old, "python") / "lib-of-root"
    outside.write_text("x")
    os.link(outside, cache / "another-name")
    assert owners(cache.parent) == {0}
    again = await bench.build(str(repo), commit(repo), uid=USER)
    assert again.runtime == old.runtime
    assert owners(cache) == owners(bench.workshop.cache("p1", "git")) == {USER}
    assert outside.stat().st_uid == 0, "what a release holds was not handed over by another name"
    await finish_compiling()


async def test_a_repository_of_its_owner_alone_is_refused_with_the_remedy(bench: Bench, tmp_path: Path) -> None:
    first = repository(tmp_path / "repo", {"main.py": "print(1)"})
    (tmp_path / "repo").chmod(0o700)
    with pytest.raises(Refused, match="let others read it"):
        await resolve(bench.workshop, str(tmp_path / "repo"), "main", USER)
    with pytest.raises(BuildFailed, match="let others read it"):
        await bench.build(str(tmp_path / "repo"), first, uid=USER)
