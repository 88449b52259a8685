"""Whose processes a build's are, as this machine sees them: as root the project's user, who has no rights at all."""

import json
import os
import re
from pathlib import Path

import httpx

from tests.system.platform import Platform, eventually
from tests.system.repositories import commit
from tests.system.walls.test_users import running_as

_LOCK = json.dumps(
    {
        "name": "hook",
        "version": "1.0.0",
        "lockfileVersion": 3,
        "requires": True,
        "packages": {"": {"name": "hook", "version": "1.0.0", "hasInstallScript": True}},
    }
)
_HOOKED = {
    "package-lock.json": _LOCK,
    "server.js": "const {HOST, PORT} = process.env; "
    "require('http').createServer((q, r) => r.end('ok')).listen(PORT, HOST)",
}
_BY_NAME = "echo by name > /dev/stderr"


def _package(hook: str, script: str) -> dict[str, str]:
    """Two sleeps that nobody else has: they are looked for from outside."""
    scripts = {
        "preinstall": f"sleep {hook}",
        "build": f"{_BY_NAME}; cat /etc/shadow; sleep {script}",
        "start": "node server.js",
    }
    return {**_HOOKED, "package.json": json.dumps({"name": "hook", "version": "1.0.0", "scripts": scripts})}


def _status_of(command: str) -> str:
    """Of the process with this command line, once there is one."""

    def look() -> str | None:
        wanted = command.replace(" ", "\0") + "\0"
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cmdline").read_text() == wanted:
                    return (process / "status").read_text()
            except OSError:
                continue
        return None

    return eventually(look, 60, 0.02) or ""


def _user_of(status: str) -> int:
    """He has no group and no capability beside his own."""
    (user,) = set(re.findall(r"Uid:\t(.*)", status)[0].split())
    if os.geteuid() == 0:
        assert f"Gid:\t{user}\t{user}\t{user}\t{user}" in status
        assert re.search(r"Groups:\t *\n", status), status
        assert "CapBnd:\t0000000000000000" in status
    for kind in ("Inh", "Prm", "Eff", "Amb"):
        assert f"Cap{kind}:\t0000000000000000" in status
    return int(user)


def _deploy(shared: Platform, api: httpx.Client, project: str, sleeps: list[str]) -> set[int]:
    """It goes live; the users of these processes of its build."""
    begun = api.post(f"/v1/projects/{project}/deploy", json={}).json()["deployId"]
    users = {_user_of(_status_of(f"sleep {each}")) for each in sleeps}
    assert shared.deployed(api, project, begun, 120)["status"] == "live"
    return users


def test_hooks_and_scripts_run_as_the_projects_user(shared: Platform, api: httpx.Client, tmp_path: Path) -> None:
    found = {}
    for name, sleeps in {"hook-one": ["1.50111", "1.50112"], "hook-two": ["1.50121", "1.50122"]}.items():
        commit(tmp_path / name, _package(*sleeps))
        project = shared.new_project(api, name, tmp_path / name)
        found[name] = _deploy(shared, api, project, sleeps)
        assert found[name] == running_as(shared, name), "its runs have the same one"
        said = next(shared.data_dir.glob(f"nodes/*/builds/*/{name}-*/log.ndjson")).read_text()
        assert "by name" in said
        assert "root:" not in said
    if os.geteuid() == 0:
        users = [found[name] for name in sorted(found)]
        assert all(len(each) == 1 and min(each) > 1_000_000 for each in users), users
        assert users[0] != users[1]
    else:
        assert all(each == {os.geteuid()} for each in found.values())


def test_an_installation_from_before_goes_on(shared: Platform, api: httpx.Client, tmp_path: Path) -> None:
    """Its caches are root's, and so is what it built."""
    commit(tmp_path / "repository", _package("1.50131", "1.50132"))
    project = shared.new_project(api, "hook-old", tmp_path / "repository")
    first = _deploy(shared, api, project, ["1.50131", "1.50132"])
    (caches,) = shared.data_dir.glob(f"nodes/*/caches/{_record(shared, 'hook-old')}")
    for path in (*shared.data_dir.glob("artifacts/*"), caches, shared.data_dir / "artifacts"):
        for each in (path, *path.rglob("*")):
            os.chown(each, os.geteuid(), -1, follow_symlinks=False)
    commit(tmp_path / "repository", _package("1.50141", "1.50142"))
    assert _deploy(shared, api, project, ["1.50141", "1.50142"]) == first
    filled = [path for path in caches.iterdir() if path.is_dir() and not path.name.startswith(".gone-")]
    assert {path.stat().st_uid for path in filled} == first


def _record(shared: Platform, name: str) -> str:
    (found,) = [each for each in shared.records("projects") if each["metadata"]["name"] == name]
    return str(found["metadata"]["uid"])
