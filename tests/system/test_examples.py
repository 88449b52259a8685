"""Each example, from a real git repository: served through the API, and just so by its manifest."""

import shutil
from pathlib import Path

import httpx
import pytest

from tests.system.platform import ROOT, Platform, eventually
from tests.system.repositories import commit, git, version

EXAMPLES = {
    "hello": "Hello from Setpoint",
    "flask": "Flask",
    "node": "Express",
    "static": "<html",
    "worker": "worker",
}


def repository_of(example: str, folder: Path) -> Path:
    shutil.copytree(ROOT / "examples" / example, folder, ignore=shutil.ignore_patterns("node_modules"))
    commit(folder, {})
    return folder


@pytest.mark.parametrize("example", EXAMPLES)
def test_served_through_the_api(example: str, tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    repository = repository_of(example, tmp_path / "repository")
    name = f"api-{example}"
    project = shared.new_project(api, name, repository)
    deploy = shared.deploy(api, project, seconds=180)
    assert deploy["status"] == "live", deploy["error"]
    answer = shared.get(name)
    assert answer.status_code == 200
    assert EXAMPLES[example].lower() in answer.text.lower()
    seen = api.get(f"/v1/projects/{project}").json()
    assert (seen["status"], seen["instances"]) == ("running", {"desired": 1, "ready": 1})
    assert api.delete(f"/v1/projects/{project}").status_code in (202, 204)


@pytest.mark.parametrize("example", EXAMPLES)
def test_served_by_manifest(example: str, tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    repository = repository_of(example, tmp_path / "repository")
    address = f"https://git.example.com/you/{example}.git"
    manifest = (repository / "setpoint.yaml").read_text()
    assert address in manifest
    namespace = f"acc-{shared.credentials['handle']}"
    shared.kubectl("-n", namespace, "apply", "-f", "-", given=manifest.replace(address, str(repository)))
    answer = eventually(lambda: shared.get(example) if shared.get(example).status_code == 200 else None, 180)
    assert answer is not None
    assert EXAMPLES[example].lower() in answer.text.lower()
    handle = shared.credentials["handle"]
    seen = eventually(lambda: api.get(f"/v1/projects/by-handle/{handle}/{example}").json(), 5)
    assert seen["name"] == example
    shared.kubectl("-n", namespace, "delete", "project", example, "--wait=false")


def test_a_second_deploy_with_another_ref_serves_that_commit(
    tmp_path: Path, shared: Platform, api: httpx.Client
) -> None:
    repository = tmp_path / "repository"
    first = commit(repository, version("one"))
    git(repository, "checkout", "-q", "-b", "next")
    second = commit(repository, version("two"))
    git(repository, "tag", "v2")
    git(repository, "checkout", "-q", "main")
    project = shared.new_project(api, "refs", repository)
    assert shared.deploy(api, project)["commit"] == first
    assert shared.get("refs").text.strip() == "one"
    for ref, wanted in (("next", "two"), (first, "one"), ("v2", "two"), ("main", "one")):
        deploy = shared.deploy(api, project, ref=ref)
        assert deploy["status"] == "live", deploy["error"]
        assert deploy["commit"] == (second if wanted == "two" else first)
        assert shared.get("refs").text.strip() == wanted


def test_a_branch_that_moves_is_deployed_by_manifest(tmp_path: Path, shared: Platform) -> None:
    repository = tmp_path / "repository"
    commit(repository, version("one"))
    manifest = f"""
apiVersion: setpoint.dev/v1
kind: Project
metadata: {{name: follows}}
spec: {{source: {{repository: {repository}, branch: main}}}}
"""
    namespace = f"acc-{shared.credentials['handle']}"
    shared.kubectl("-n", namespace, "apply", "-f", "-", given=manifest)
    eventually(lambda: shared.get("follows").text.strip() == "one", 60)
    head = commit(repository, version("two"))
    # The branch is looked at now and then; somebody who cannot wait says so.
    shared.kubectl("-n", namespace, "annotate", "project", "follows", f"setpoint.dev/push={head}")
    eventually(lambda: shared.get("follows").text.strip() == "two", 60)
    deploys = [d for d in shared.records("deploys") if d["spec"]["project"] == "follows"]
    assert len(deploys) == 2


def test_a_branch_that_cannot_be_followed_is_said(tmp_path: Path, shared: Platform) -> None:
    """Before anything was deployed, and beside pages that are well; and no more when it can be followed again."""
    repository = tmp_path / "repository"
    manifest = f"""
apiVersion: setpoint.dev/v1
kind: Project
metadata: {{name: lost}}
spec: {{source: {{repository: {repository}, branch: main}}}}
"""
    namespace = f"acc-{shared.credentials['handle']}"
    shared.kubectl("-n", namespace, "apply", "-f", "-", given=manifest)

    def told() -> tuple[str, str]:
        (project,) = [each for each in shared.records("projects") if each["metadata"]["name"] == "lost"]
        return project["status"]["phase"], project["status"].get("message", "")

    def look_again(number: int) -> None:
        shared.kubectl("-n", namespace, "annotate", "--overwrite", "project", "lost", f"setpoint.dev/push={number}")

    trouble = "The branch main cannot be followed: "
    eventually(lambda: told()[0] == "pending" and told()[1].startswith(trouble))
    commit(repository, version("found"))
    look_again(1)
    eventually(lambda: told() == ("running", ""), 60)
    repository.rename(tmp_path / "elsewhere")
    look_again(2)
    eventually(lambda: told()[0] == "running" and told()[1].startswith(trouble))
    assert shared.get("lost").text.strip() == "found"


def test_rollback_brings_back_the_release_before(tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    repository = tmp_path / "repository"
    commit(repository, version("one"))
    project = shared.new_project(api, "back", repository)
    first = shared.deploy(api, project)
    commit(repository, version("two"))
    shared.deploy(api, project)
    assert shared.get("back").text.strip() == "two"
    begun = api.post(f"/v1/projects/{project}/rollback", json={})
    assert begun.status_code == 202, begun.text
    deploy = shared.deployed(api, project, begun.json()["deployId"])
    assert deploy["status"] == "live", deploy["error"]
    assert deploy["commit"] == first["commit"]
    assert shared.get("back").text.strip() == "one"
