"""A redeploy with every instance in a network of its own, against the same with one network for all."""

import shutil
import statistics
from pathlib import Path

import pytest

from tests.bench.report import report
from tests.bench.test_deploy import by_setpoint, change
from tests.system.platform import ROOT, platform
from tests.system.repositories import commit

pytestmark = pytest.mark.bench
ROUNDS = 15


def test_deploys_in_the_fabric_and_without(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    shutil.copytree(ROOT / "examples" / "flask", repository)
    commit(repository, {})
    firsts: dict[str, list[float]] = {"auto": [], "shared": []}
    again: dict[str, list[float]] = {"auto": [], "shared": []}
    with (
        platform(tmp_path / "auto", environment={"SETPOINT_NETWORK": "auto"}) as walled,
        platform(tmp_path / "shared", environment={"SETPOINT_NETWORK": "shared"}) as open_,
        walled.api() as walled_api,
        open_.api() as open_api,
    ):
        both = {"auto": (walled, walled_api), "shared": (open_, open_api)}
        projects = {name: running.new_project(api, "again", repository) for name, (running, api) in both.items()}
        for round_ in range(ROUNDS):
            word = f"again-{round_}"
            change(repository, word)
            for name in sorted(both, reverse=bool(round_ % 2)):
                running, api = both[name]
                taken = by_setpoint(running, api, projects[name], "again", word)
                (firsts if round_ == 0 else again)[name].append(taken)
        for round_ in range(5):
            word = f"first-{round_}"
            change(repository, word)
            for name in sorted(both, reverse=bool(round_ % 2)):
                running, api = both[name]
                firsts[name].append(by_setpoint(running, api, running.new_project(api, word, repository), word, word))
    report("first deploy in the fabric, against one network", firsts["auto"][1:], firsts["shared"][1:], "s", "<= 1.1x")
    report("redeploy in the fabric, against one network", again["auto"], again["shared"], "s", "<= 1.1x")
    assert statistics.median(again["auto"]) <= 2 * statistics.median(again["shared"]), "far from the aim"
