"""Where the fabric cannot stand: it says so, and one account alone runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.system.platform import Platform, eventually, platform
from tests.system.repositories import commit, version

_GUEST = """
apiVersion: setpoint.dev/v1
kind: Account
metadata: {name: guest}
spec: {displayName: Guest, operator: true}
"""
_PROJECT = """
apiVersion: setpoint.dev/v1
kind: Project
metadata: {name: site, namespace: acc-guest}
spec: {source: {repository: "%s", branch: main}}
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("open") / "data"
    with platform(folder, environment={"SETPOINT_NETWORK": "shared", "SETPOINT_GIT_INTERVAL": "2"}) as started:
        yield started


def _guests_deploy(running: Platform, repository: Path) -> dict[str, Any]:
    """Of a project of a second account, once it has ended."""
    running.kubectl("apply", "-f", "-", given=_GUEST)
    eventually(lambda: "acc-guest" in running.kubectl("get", "namespaces"))
    running.kubectl("apply", "-f", "-", given=_PROJECT % repository)
    deploys = eventually(
        lambda: [
            deploy["status"]
            for deploy in running.records("deploys")
            if deploy["metadata"]["namespace"] == "acc-guest"
            and deploy.get("status", {}).get("phase") in ("failed", "live")
        ],
        60,
    )
    return dict(deploys[0])


def test_it_says_so(running: Platform) -> None:
    said = "\n".join(running.output)
    assert "network: shared" in said
    assert "A wall is missing. Instances share this machine's network (it was started with --network shared)." in said
    assert [node["status"]["network"] for node in running.records("computenodes")] == ["shared"]


def test_a_second_account_is_refused_unless_the_operator_allows_it(running: Platform, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    commit(repository, version("guest"))
    refused = _guests_deploy(running, repository)
    assert refused["phase"] == "failed"
    failure = refused["failure"]
    assert failure["reason"] == "SharedNetwork"
    assert "SETPOINT_ALLOW_SHARED_NETWORK=1" in failure["message"]
    running.stop()
    running.environment["SETPOINT_ALLOW_SHARED_NETWORK"] = "1"
    running.start()
    commit(repository, version("guest again"))
    url, host = f"http://127.0.0.1:{running.router_port}/", {"Host": "site--guest.localhost"}
    eventually(lambda: httpx.get(url, headers=host).text.strip() == "guest again", 60)
