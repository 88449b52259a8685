"""Nodes that the installation has no more, or whose agent cannot be started: what they ran does not outlive them."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.platform import Platform, eventually, holders, platform
from tests.system.repositories import commit, version


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Platform]:
    """Two nodes, with one instance on each."""
    commit(tmp_path / "repository", version("spread"))
    with platform(tmp_path / "data", nodes=2) as running:
        with running.api() as client:
            project = running.new_project(client, "spread", tmp_path / "repository")
            running.deploy(client, project)
            assert client.post(f"/v1/projects/{project}/scale", json={"instances": 2}).status_code == 200
            eventually(lambda: ran(running, "node-1") and ran(running, "node-2"), 30)
        yield running


def ran(running: Platform, node: str) -> set[int]:
    """Processes of the node's instances."""
    locks = (running.data_dir / "nodes" / node / "instances").glob("*/lock")
    return {pid for lock in locks for pid in holders(lock)}


def on(running: Platform) -> list[str]:
    """The nodes of the instances that are ready."""
    return sorted(each["spec"]["node"] for each in running.records("instances") if each["status"].get("ready"))


@pytest.mark.parametrize("agent", ["lives on", "dies, too"])
def test_a_start_with_fewer_nodes_ends_the_others(two: Platform, agent: str) -> None:
    victims = [two.pid("node-2")] if agent == "dies, too" else []
    assert two.process is not None
    for pid in (two.process.pid, *victims):
        os.kill(pid, signal.SIGKILL)
    two.process.wait()
    assert two.process.stdout is not None
    two.process.stdout.close()
    assert ran(two, "node-2"), "an instance outlives its agent"
    two.nodes = 1
    two.start()
    assert not ran(two, "node-2")
    assert "node-2" not in {path.stem for path in (two.data_dir / "run").glob("*.json")}
    assert [each["metadata"]["name"] for each in two.records("computenodes")] == ["node-1"]
    eventually(lambda: on(two) == ["node-1", "node-1"], 40)
    assert two.get("spread").status_code == 200
    two.stop()
    two.nodes = 2
    two.start()
    names = ["node-1", "node-2"]
    eventually(lambda: sorted(each["metadata"]["name"] for each in two.records("computenodes")) == names, 30)


def test_what_a_part_ran_that_cannot_be_started_ends_with_the_installation(two: Platform) -> None:
    (two.data_dir / "kubeconfig" / "node-2.yaml").unlink()
    two.kill("node-2")
    two.read_until("node-2 ended (exit code 1)")
    assert ran(two, "node-2")
    assert two.stop() == 0
    assert not ran(two, "node-2")
