"""Builds of one project share its caches, and still never meet there: one begins when all of the other has ended."""

import signal
from pathlib import Path

import pytest

from crds.models.build import Build
from tests.system.node.world import NAMESPACE, NODE, World
from tests.unit.cluster.eventually import eventually
from tests.unit.cluster.repositories import commit, repository

_MEET = """
const net = require("net")
const there = net.connect("/npm/meeting", () => { console.log("met another build"); there.end() })
there.on("error", () => {
  require("fs").rmSync("/npm/meeting", { force: true })
  const server = net.createServer(c => { console.log("met another build"); c.end() })
  server.listen("/npm/meeting", () => console.log("waits for another"))
  setTimeout(() => { console.log("met nobody"); process.exit() }, 4000)
})
"""
"""What a build would do to hand another one something that is open."""
_FILES = {"package.json": '{"scripts": {"build": "node meet.js", "start": "node meet.js"}}', "meet.js": _MEET}
_NAMES = ("shop-d1", "shop-d2")


def _log(here: World, name: str) -> str:
    path = here.data / "nodes" / NODE / "builds" / NAMESPACE / name / "log.ndjson"
    return path.read_text() if path.exists() else ""


def _said(here: World, what: str) -> int:
    return sum(_log(here, name).count(what) for name in _NAMES)


@pytest.mark.parametrize("agent", ["lives", "is killed"])
async def test_two_builds_of_a_project_never_meet(agent: str, here: World, tmp_path: Path) -> None:
    """Both are placed here, as no scheduler would."""
    await here.project("shop")
    repo = tmp_path / "repo"
    commits = [repository(repo, _FILES), commit(repo)]
    for name, each in zip(_NAMES, commits, strict=True):
        await here.build(name, "shop", str(repo), each)
    if agent == "is killed":
        await eventually(lambda: _said(here, "waits for another"))
        here.stop_agent(signal.SIGKILL)
        here.start_agent()
    for name in _NAMES:
        done = await here.until(Build, name, lambda build: build.status.phase in ("succeeded", "failed"), 60)
        assert done.status.phase == "succeeded", done.status.message
    assert _said(here, "met nobody") == 2
    assert _said(here, "met another build") == 0
