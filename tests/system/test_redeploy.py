"""Redeploys under load lose nothing; a broken one changes nothing, and says why."""

from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.system.load import Load
from tests.system.platform import Platform, eventually
from tests.system.repositories import commit, lively, version


def test_nothing_fails_or_is_cut(tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    """Two redeploys and 50 new projects under load; a neighbour's web socket and event stream live through it all, and
    so do those of the project that is redeployed, for as long as it lets old connections finish."""
    repository = tmp_path / "repository"
    commit(repository, lively("v0"))
    neighbour = tmp_path / "neighbour"
    commit(neighbour, lively("n0"))
    project = shared.new_project(api, "busy", repository)
    shared.kubectl(
        "-n", "acc-main", "patch", "project", "busy", "--type=merge",
        "-p", '{"spec": {"processes": [{"name": "web", "drainSeconds": 120}]}}',
    )  # fmt: skip
    shared.deploy(api, project)
    shared.deploy(api, shared.new_project(api, "calm", neighbour))
    with (
        Load(shared.router_port, shared.host("busy"), sockets=True) as busy,
        Load(shared.router_port, shared.host("calm"), new_each_second=5, kept=2, sockets=True) as calm,
    ):
        for number in range(1, 3):
            commit(repository, lively(f"v{number}"))
            deploy = shared.deploy(api, project)
            assert deploy["status"] == "live", deploy["error"]
            assert shared.get("busy").text.strip() == f"v{number}"
            for extra in range(25):
                name = f"extra-{number}-{extra}"
                assert api.post("/v1/projects", json={"name": name}).status_code == 201
                eventually(partial(answers, shared, name, 503), 10)
    for load in (busy, calm):
        assert load.failures == [], load.counts
        assert min(load.counts.values()) > 5, load.counts


def answers(shared: Platform, project: str, code: int) -> bool:
    return shared.get(project).status_code == code


BROKEN = {
    "a syntax error": ({"main.py": "def broken(:\n"}, "crash", "SyntaxError"),
    "a missing dependency": ({"main.py": "import nowhere_to_be_found\n"}, "crash", "nowhere_to_be_found"),
    "exits at once": ({"main.py": "print('bye bye')\n"}, "crash", "bye bye"),
    "never listens": ({"main.py": "import time\nprint('asleep', flush=True)\ntime.sleep(600)\n"}, "ready", "asleep"),
    "answers 500": (
        {"main.py": version("x")["main.py"].replace("send_response(200)", "send_response(500)")},
        "ready",
        "",
    ),
    "an unknown package": (
        {"main.py": "1", "requirements.txt": "no-such-package-of-setpoint==9.9.9\n"},
        "build",
        "no-such-package-of-setpoint",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_one_says_why_and_the_old_one_serves_on(
    case: str, tmp_path: Path, shared: Platform, api: httpx.Client
) -> None:
    files, kind, word = BROKEN[case]
    name = "b-" + case.replace(" ", "-").replace("an-", "").replace("a-", "")[:20]
    repository = tmp_path / "repository"
    commit(repository, version("good"))
    project = shared.new_project(api, name, repository)
    shared.kubectl(
        "-n", "acc-main", "patch", "project", name, "--type=merge",
        "-p", '{"spec": {"processes": [{"name": "web", "health": {"path": "/", "timeoutSeconds": 5}}]}}',
    )  # fmt: skip
    assert shared.deploy(api, project)["status"] == "live"
    commit(repository, files)
    with Load(shared.router_port, shared.host(name), new_each_second=10, kept=1) as load:
        deploy = shared.deploy(api, project)
    assert deploy["status"] == "failed"
    assert deploy["error"]["message"]
    log = "\n".join(deploy["error"]["log"])
    assert word in log, (deploy["error"], kind)
    assert shared.get(name).text.strip() == "good"
    assert load.failures == []
    assert api.get(f"/v1/projects/{project}").json()["status"] == "running"


def test_a_build_over_its_time_limit_fails(tmp_path: Path, shared: Platform, api: httpx.Client) -> None:
    repository = tmp_path / "repository"
    files = {
        "package.json": '{"name": "slow", "version": "1.0.0", "scripts": {"preinstall": "sleep 300"}}',
        "package-lock.json": '{"name": "slow", "version": "1.0.0", "lockfileVersion": 3, "requires": true, '
        '"packages": {"": {"name": "slow", "version": "1.0.0", "hasInstallScript": true}}}',
        "server.js": "1",
    }
    commit(repository, files)
    project = shared.new_project(api, "slow-build", repository)
    shared.kubectl(
        "-n", "acc-main", "patch", "project", "slow-build", "--type=merge",
        "-p", '{"spec": {"buildTimeoutSeconds": 10}}',
    )  # fmt: skip
    deploy = shared.deploy(api, project)
    assert deploy["status"] == "failed"
    assert "time limit" in deploy["error"]["message"]
