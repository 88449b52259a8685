"""Projects that run."""

from pathlib import Path

import httpx

from tests.system.platform import Platform
from tests.system.repositories import commit


def live_project(running: Platform, api: httpx.Client, name: str, repository: Path, files: dict[str, str]) -> str:
    """Made of these files, deployed, and live; the id."""
    commit(repository, files)
    project = running.new_project(api, name, repository)
    seen = running.deploy(api, project)
    assert seen["status"] == "live", seen["error"]
    return project
