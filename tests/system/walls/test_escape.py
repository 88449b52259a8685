"""Nobody gets out: from a run, from a build, from the hooks of each language's installer, with every wall standing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cluster.fabric.addresses import GATEWAY
from tests.system.platform import Platform, eventually
from tests.system.repositories import commit, version
from tests.system.walls.targets import baits, targets

PROBE = (Path(__file__).parent / "probe.py").read_text()
SIBLINGS = ["tcp", [GATEWAY, 80]]
_LOCK = json.dumps(
    {
        "name": "hook",
        "version": "1.0.0",
        "lockfileVersion": 3,
        "requires": True,
        "packages": {"": {"name": "hook", "version": "1.0.0", "hasInstallScript": True}},
    }
)
HOOKED = {
    "package-lock.json": _LOCK,
    "server.js": "const {HOST, PORT} = process.env; "
    "require('http').createServer((q, r) => r.end('ok')).listen(PORT, HOST)",
}
_SETUP = """
import subprocess, sys
from setuptools import setup
said = subprocess.run(["/usr/bin/python3", "/app/probe.py", "/app/targets.json"], capture_output=True, text=True)
open("/cache/said", "w").write(said.stdout + said.stderr)
setup(name="hook", version="1.0", py_modules=[])
"""


@pytest.fixture(scope="module")
def neighbour(shared: Platform) -> Iterator[str]:
    """The address of an instance of another project."""
    with shared.api() as client:
        repository = shared.data_dir.parent / "neighbour"
        commit(repository, version("neighbour"))
        project = shared.new_project(client, "neighbour", repository)
        assert shared.deploy(client, project)["status"] == "live"
        record = next(each for each in shared.records("instances") if each["metadata"]["name"].startswith("neighbour"))
        yield str(record["status"]["address"])
        shared.remove_projects({(record["metadata"]["namespace"], "neighbour")})


@pytest.fixture
def everything(shared: Platform, neighbour: str) -> Iterator[dict[str, Any]]:
    assert neighbour.startswith("198.18."), "this machine refuses the fabric"
    with baits() as bait:
        yield targets(shared, bait, [neighbour])


def _log(running: Platform, client: httpx.Client, project: str) -> list[str]:
    with client.stream("POST", f"/v1/projects/{project}/deploy/stream", json={}, timeout=120) as answer:
        lines = [line for line in answer.iter_lines() if line.startswith("data:")]
    return [str(json.loads(line[5:]).get("line", "")) for line in lines]


def _reached(lines: list[str]) -> Any:
    said = [line for line in lines if "REACHED" in line]
    assert len(said) == 1, lines
    return json.loads(said[0].partition("REACHED ")[2])


def test_from_a_run(shared: Platform, api: httpx.Client, everything: dict[str, Any], tmp_path: Path) -> None:
    commit(tmp_path / "run", {"probe.py": PROBE, "Procfile": "web: python probe.py serve\n"})
    project = shared.new_project(api, "escape", tmp_path / "run")
    assert shared.deploy(api, project)["status"] == "live"
    answer = httpx.post(
        f"http://127.0.0.1:{shared.router_port}/", headers={"Host": shared.host("escape")}, json=everything, timeout=120
    )
    assert answer.json() == [SIBLINGS], "where it asks for siblings, and is told 404 (see test_siblings.py)"
    assert len(everything["tcp"]) > 30


def test_from_hooks_of_npm(shared: Platform, api: httpx.Client, everything: dict[str, Any], tmp_path: Path) -> None:
    """Before and after installing, and in the build's own script."""
    command = "/usr/bin/python3 probe.py targets.json"
    scripts = {"preinstall": command, "postinstall": "true", "start": "node server.js"}
    package = json.dumps({"name": "hook", "version": "1.0.0", "scripts": scripts})
    files = {**HOOKED, "package.json": package, "probe.py": PROBE, "targets.json": json.dumps(everything)}
    commit(tmp_path / "npm", files)
    lines = _log(shared, api, shared.new_project(api, "hooked", tmp_path / "npm"))
    assert _reached(lines) == []


def test_from_a_build_script(shared: Platform, api: httpx.Client, everything: dict[str, Any], tmp_path: Path) -> None:
    scripts = {"build": "/usr/bin/python3 probe.py targets.json", "start": "node server.js"}
    package = json.dumps({"name": "hook", "version": "1.0.0", "scripts": scripts})
    files = {**HOOKED, "package.json": package, "probe.py": PROBE, "targets.json": json.dumps(everything)}
    commit(tmp_path / "build", files)
    lines = _log(shared, api, shared.new_project(api, "built", tmp_path / "build"))
    assert _reached(lines) == []


def test_from_the_build_of_a_python_package(
    shared: Platform, api: httpx.Client, everything: dict[str, Any], tmp_path: Path
) -> None:
    files = {
        **version("packaged"),
        "requirements.txt": "./hook\n",
        "hook/setup.py": _SETUP,
        "probe.py": PROBE,
        "targets.json": json.dumps(everything),
    }
    commit(tmp_path / "package", files)
    project = shared.new_project(api, "packaged", tmp_path / "package")
    lines = _log(shared, api, project)
    said = eventually(lambda: next(shared.data_dir.glob("nodes/*/caches/*/env/said"), None))
    assert said is not None, lines
    assert _reached(said.read_text().splitlines()) == []
