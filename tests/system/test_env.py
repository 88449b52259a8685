"""Variables: set, masked, applied on the next deploy and not before; never where they could be read by others."""

import subprocess
from pathlib import Path

import httpx

from tests.system.platform import Platform
from tests.system.repositories import commit, version

SECRET = "s3cr3t-Zq8LmP-never-shown"


def test_applied_on_the_next_deploy_and_masked(tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    repository = tmp_path / "repository"
    commit(repository, version("one"))
    project = shared.new_project(api, "env", repository)
    shared.deploy(api, project)
    path = f"/v1/projects/{project}/env"
    values = {"GREETING": "hi", "API_TOKEN": SECRET}
    answer = api.post(path, json={"vars": values})
    assert answer.status_code == 200, answer.text
    seen = api.get(path).json()
    assert seen["vars"] == {"GREETING": "hi", "API_TOKEN": "********"}
    assert seen["secret"] == ["API_TOKEN"]
    assert sorted(seen["pending"]) == ["API_TOKEN", "GREETING"]
    assert shared.get("env").text == "one \n", "not before the next deploy"
    assert shared.deploy(api, project)["status"] == "live"
    assert shared.get("env").text == "one hi\n"
    assert api.get(path).json()["pending"] == []
    assert api.post(path, json={"vars": {"API_TOKEN": "********"}}).status_code == 422
    assert api.post(path, json={"vars": {"GREETING": None}}).status_code == 200
    assert "GREETING" not in api.get(path).json()["vars"]
    _assert_nowhere(shared)


def _assert_nowhere(shared: Platform) -> None:
    """Not in a log, a process list, a record, or a file of the data folder (Secrets are encrypted at rest)."""
    command_lines = [
        entry.read_bytes().replace(b"\0", b" ") for entry in Path("/proc").glob("[0-9]*/cmdline") if entry.exists()
    ]
    assert not any(SECRET.encode() in line for line in command_lines)
    for plural in ("projects", "deploys", "builds", "workloads", "instances", "routes", "gitrefs"):
        assert SECRET not in str(shared.records(plural))
    found = subprocess.run(
        ["grep", "-rlaF", SECRET, str(shared.data_dir)], capture_output=True, text=True, check=False
    ).stdout
    assert found == ""
    assert not any(SECRET in line for line in shared.output)
