"""Nobody gets out of a build: from the hooks of each installer, and from the project's own build script."""

import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.system.platform import Platform
from tests.system.repositories import commit, version
from tests.system.walls.smuggled import COMMAND, probe, reached

_UV = Path(sys.executable).parent / "uv"
_SERVER = "const {HOST, PORT} = process.env; require('http').createServer((q, r) => r.end('ok')).listen(PORT, HOST)"
_NOTED = "/cache/said"
_SETUP = f"""
import subprocess
from setuptools import setup
subprocess.run("{COMMAND} > {_NOTED} 2>&1", shell=True, cwd="/app")
setup(name="hook", version="1.0", py_modules=[])
"""
_BACKEND = f"""
import subprocess, zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    subprocess.run("{COMMAND} > {_NOTED} 2>&1", shell=True, cwd="/app")
    with zipfile.ZipFile(folder + "/hook-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("hook-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: hook\\nVersion: 1.0\\n")
        wheel.writestr("hook-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("hook-1.0.dist-info/RECORD", "")
    return "hook-1.0-py3-none-any.whl"
"""
_BUILT_BY_ITSELF = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
"""Nothing of an index takes part."""
_HOOK = {"pyproject.toml": '[project]\nname = "hook"\nversion = "1.0"\n' + _BUILT_BY_ITSELF, "backend.py": _BACKEND}
_WANTING = '[project]\nname = "app"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["hook"]\n'


def _in_folder(folder: str) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in _HOOK.items()}


def _archive(path: Path, prefix: str, files: dict[str, str]) -> None:
    """A package as it would come from an index."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"{prefix}/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))


def _requirements(_: Path) -> dict[str, str]:
    """A folder, by the build backend that everybody uses."""
    return {"requirements.txt": "./hook\n", "hook/setup.py": _SETUP}


def _pyproject(_: Path) -> dict[str, str]:
    """What the project wants is only known after its own code has run."""
    project = '[project]\nname = "hook"\nversion = "1.0"\ndynamic = ["dependencies"]\n'
    return {"pyproject.toml": project + _BUILT_BY_ITSELF, "backend.py": _BACKEND}


def _uv_lock(repository: Path) -> dict[str, str]:
    files = {**_in_folder("hook"), "pyproject.toml": _WANTING + '[tool.uv.sources]\nhook = { path = "./hook" }\n'}
    commit(repository, files)
    subprocess.run([_UV, "lock", "-q", "--offline"], cwd=repository, check=True)
    return files


def _pipfile(repository: Path) -> dict[str, str]:
    """A source archive."""
    info = "Metadata-Version: 2.1\nName: hook\nVersion: 1.0\n"
    _archive(repository / "links" / "hook-1.0.tar.gz", "hook-1.0", {**_HOOK, "PKG-INFO": info})
    return {"Pipfile": '[packages]\nhook = "==1.0"\n', "uv.toml": 'no-index = true\nfind-links = ["/app/links"]\n'}


def _deployed(running: Platform, api: httpx.Client, name: str, repository: Path) -> list[str]:
    """A deploy to its end; the lines of its log."""
    project = running.new_project(api, name, repository)
    with api.stream("POST", f"/v1/projects/{project}/deploy/stream", json={}, timeout=120) as answer:
        lines = [line for line in answer.iter_lines() if line.startswith("data:")]
    return [str(json.loads(line[5:]).get("line", line)) for line in lines]


@pytest.mark.parametrize("files", [_requirements, _pyproject, _uv_lock, _pipfile])
def test_from_the_build_of_a_python_package(
    shared: Platform,
    api: httpx.Client,
    everything: dict[str, Any],
    tmp_path: Path,
    files: Callable[[Path], dict[str, str]],
) -> None:
    before = set(_said(shared))
    commit(tmp_path / "app", {**version("app"), **probe(everything), **files(tmp_path / "app")})
    lines = _deployed(shared, api, f"hook-{files.__name__.strip('_').replace('_', '-')}", tmp_path / "app")
    said = [path.read_text() for path in set(_said(shared)) - before]
    assert len(said) == 1, lines
    assert reached(said[0].splitlines()) == [[]], said


def _said(running: Platform) -> list[Path]:
    return list(running.data_dir.glob("nodes/*/caches/*/env/said"))


_HOOKS = ("preinstall", "install", "postinstall")


def _npm(repository: Path) -> dict[str, str]:
    """A package from an archive has a hook, too, of which npm shows nothing."""
    inner = {"name": "inner", "version": "1.0.0", "scripts": {"postinstall": f"cd /app && {COMMAND} > said 2>&1"}}
    _archive(repository / "inner.tgz", "package", {"package.json": json.dumps(inner)})
    package = {
        "name": "hook",
        "version": "1.0.0",
        "scripts": {**dict.fromkeys(_HOOKS, COMMAND), "build": f"cat said; {COMMAND}", "start": "node server.js"},
        "dependencies": {"inner": "file:inner.tgz"},
    }
    return {"package.json": json.dumps(package), "server.js": _SERVER}


def test_from_hooks_of_npm(shared: Platform, api: httpx.Client, everything: dict[str, Any], tmp_path: Path) -> None:
    """Before and after installing, a dependency's, and in the build's own script. (Without a lock file it is npm in
    the same sandbox.)"""
    repository = tmp_path / "app"
    commit(repository, {**_npm(repository), **probe(everything)})
    _npm_lock(repository)
    commit(repository, {})
    lines = _deployed(shared, api, "hook-npm-ci", repository)
    assert reached(lines) == [[]] * (len(_HOOKS) + 2), lines


def _npm_lock(repository: Path) -> None:
    command = ["npm", "install", "--package-lock-only", "--offline", "--ignore-scripts"]
    subprocess.run(command, cwd=repository, check=True, capture_output=True)
