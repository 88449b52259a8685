"""Other ways to name packages, and builds that go wrong."""

import json
import subprocess
from pathlib import Path

import pytest

from cluster.builder.bytecode import finish_compiling
from cluster.builder.errors import BuildFailed
from cluster.builder.workshop import BuildLimits
from tests.unit.cluster.builder.bench import Bench
from tests.unit.cluster.repositories import commit, git, repository, write

PROJECT = (
    '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ["itsdangerous==2.2.0"]\n'
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def _packages(bench: Bench, artifact: str) -> list[str]:
    manifest = bench.store.read(artifact)
    assert manifest
    mount = next(each for each in manifest["mounts"] if each["target"] == "/env/python")
    return [path.name for path in (bench.store.path(mount["layer"]) / "python").rglob("*.dist-info")]


def _lock(bench: Bench, repo: Path) -> None:
    subprocess.run([bench.workshop.uv, "lock", "-q"], cwd=repo, check=True)


async def test_a_locked_project(bench: Bench, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repository(repo, {"pyproject.toml": PROJECT, "main.py": ""})
    _lock(bench, repo)
    release = await bench.build(str(repo), commit(repo))
    assert _packages(bench, release.artifact) == ["itsdangerous-2.2.0.dist-info"]
    write(repo, {"pyproject.toml": PROJECT.replace("2.2.0", "2.1.2")})
    with pytest.raises(BuildFailed) as caught:
        await bench.build(str(repo), commit(repo))
    assert caught.value.reason == "InstallFailed"
    assert "lock" in bench.text()
    await finish_compiling()


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": PROJECT, "main.py": ""},
        {"Pipfile": '[packages]\nitsdangerous = "==2.2.0"\n', "main.py": ""},
        {"Pipfile.lock": json.dumps({"default": {"itsdangerous": {"version": "==2.2.0"}}}), "main.py": ""},
        {"requirements.txt": "-r more.txt\n", "more.txt": "itsdangerous==2.2.0\n", "main.py": ""},
        {"apps/x/requirements.txt": "itsdangerous==2.2.0\n", "apps/x/main.py": ""},
    ],
)
async def test_other_ways_to_name_packages(bench: Bench, tmp_path: Path, files: dict[str, str]) -> None:
    repo = tmp_path / "repo"
    path = "apps/x" if "apps/x/main.py" in files else ""
    release = await bench.build(str(repo), repository(repo, files), path=path)
    assert _packages(bench, release.artifact) == ["itsdangerous-2.2.0.dist-info"]
    await finish_compiling()


async def test_a_package_without_a_wheel_is_built(bench: Bench, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    write_package(repo / "own")
    write(repo, {"requirements.txt": "./own\n", "main.py": ""})
    git(repo, "init", "-q", "-b", "main")
    release = await bench.build(str(repo), commit(repo))
    assert _packages(bench, release.artifact) == ["own-1.dist-info"]
    await finish_compiling()


def write_package(folder: Path) -> None:
    backend = (
        "import zipfile\n"
        "def build_wheel(folder, settings=None, metadata=None):\n"
        "    name = 'own-1-py3-none-any.whl'\n"
        "    with zipfile.ZipFile(f'{folder}/{name}', 'w') as wheel:\n"
        "        wheel.writestr('own.py', 'x = 1')\n"
        "        wheel.writestr('own-1.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: own\\nVersion: 1\\n')\n"
        "        wheel.writestr('own-1.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: x')\n"
        "        wheel.writestr('own-1.dist-info/RECORD', 'own.py,,\\n')\n"
        "    return name\n"
    )
    system = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    project = '[project]\nname = "own"\nversion = "1"\n'
    write(folder, {"backend.py": backend, "pyproject.toml": system + project})


SETUP = "from setuptools import setup\nsetup(name='own', version='1', py_modules=['own'])\n"
DYNAMIC = (
    '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    '[project]\nname = "own"\nversion = "1"\ndynamic = ["dependencies"]\n'
    "[tool.setuptools]\npy-modules = []\n"
    '[tool.setuptools.dynamic]\ndependencies = {file = ["wanted.txt"]}\n'
)


@pytest.mark.parametrize(
    ("files", "packages"),
    [
        ({"requirements.txt": "./own\n", "own/setup.py": SETUP, "own/own.py": ""}, ["own-1.dist-info"]),
        ({"requirements.txt": "own/\n", "own/setup.py": SETUP, "own/own.py": ""}, ["own-1.dist-info"]),
        (
            {"Pipfile": '[packages]\nown = {path = "./own"}\n', "own/setup.py": SETUP, "own/own.py": ""},
            ["own-1.dist-info"],
        ),
        ({"requirements.txt": "-e .\n", "setup.py": SETUP, "own.py": ""}, ["own-1.dist-info"]),
        ({"pyproject.toml": DYNAMIC, "wanted.txt": "itsdangerous==2.2.0\n"}, ["itsdangerous-2.2.0.dist-info"]),
    ],
)
async def test_what_builds_in_its_own_folder_can_write_there(
    bench: Bench, tmp_path: Path, files: dict[str, str], packages: list[str]
) -> None:
    """As setuptools does; what it wrote is not in the release."""
    repo = tmp_path / "repo"
    release = await bench.build(str(repo), repository(repo, {**files, "main.py": ""}))
    assert _packages(bench, release.artifact) == packages
    manifest = bench.store.read(release.artifact)
    assert manifest
    source = next(each for each in manifest["mounts"] if each["target"] == "/app")
    assert not list((bench.store.path(source["layer"]) / "tree").rglob("*.egg-info"))
    await finish_compiling()


async def test_a_package_of_the_repository_is_installed_again_when_it_changes(bench: Bench, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    files = {"requirements.txt": "own/\n", "own/setup.py": SETUP, "own/own.py": "", "main.py": ""}
    await bench.build(str(repo), repository(repo, files))
    write(repo, {"own/setup.py": SETUP.replace("version='1'", "version='2'")})
    release = await bench.build(str(repo), commit(repo))
    assert _packages(bench, release.artifact) == ["own-2.dist-info"]
    await finish_compiling()


async def test_a_build_that_says_too_much_is_ended(tmp_path: Path) -> None:
    bench = Bench(tmp_path, BuildLimits(output_bytes=20_000))
    files = {"package.json": json.dumps({"scripts": {"build": "yes", "start": "x"}})}
    with pytest.raises(BuildFailed) as caught:
        await bench.build(str(tmp_path / "repo"), repository(tmp_path / "repo", files))
    assert caught.value.reason == "OutputLimit"
    assert bench.log_path.stat().st_size < 2_000_000


async def test_a_commit_with_too_many_bytes_or_files_is_refused(tmp_path: Path) -> None:
    commit_hash = repository(tmp_path / "repo", {"index.html": "x" * 5000, "b": ""})
    for limits in (BuildLimits(tree_bytes=1000), BuildLimits(tree_files=1)):
        bench = Bench(tmp_path / f"bench-{limits.tree_bytes}", limits)
        with pytest.raises(BuildFailed) as caught:
            await bench.build(str(tmp_path / "repo"), commit_hash)
        assert caught.value.reason == "RepositoryTooLarge"


async def test_a_commit_that_is_not_there(bench: Bench, tmp_path: Path) -> None:
    repository(tmp_path / "repo", {"index.html": "x"})
    with pytest.raises(BuildFailed) as caught:
        await bench.build(str(tmp_path / "repo"), "b" * 40)
    assert caught.value.reason == "CommitNotFound"


async def test_two_projects_share_no_environment(bench: Bench, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    first = repository(repo, {"requirements.txt": "itsdangerous==2.2.0\n", "main.py": ""})
    one = await bench.build(str(repo), first, project="one")
    two = await bench.build(str(repo), first, project="two")
    layers = [bench.store.read(each.artifact) for each in (one, two)]
    assert not {m["layer"] for m in (layers[0] or {})["mounts"]} & {m["layer"] for m in (layers[1] or {})["mounts"]}
    inodes = [
        {path.stat().st_ino for path in bench.store.path(m["layer"]).rglob("*.py")}
        for layer in layers
        for m in (layer or {})["mounts"]
        if m["part"] == "python"
    ]
    assert not inodes[0] & inodes[1], "not even a hard link"
    await finish_compiling()


def _inodes(bench: Bench, artifact: str) -> set[int]:
    manifest = bench.store.read(artifact) or {}
    folder = next(bench.store.path(mount["layer"]) for mount in manifest["mounts"] if mount["part"] == "python")
    return {path.stat().st_ino for path in folder.rglob("*.py")}


async def test_a_built_site_holds_what_its_script_made(bench: Bench, tmp_path: Path) -> None:
    package = {"scripts": {"build": "mkdir -p dist && echo built > dist/out.txt", "start": "node server.js"}}
    files = {"package.json": json.dumps(package), "server.js": ""}
    release = await bench.build(str(tmp_path / "repo"), repository(tmp_path / "repo", files))
    manifest = bench.store.read(release.artifact)
    assert manifest
    assert [mount["target"] for mount in manifest["mounts"]] == ["/app"]
    tree = bench.store.path(manifest["mounts"][0]["layer"]) / "tree"
    assert (tree / "dist/out.txt").read_text() == "built\n"
