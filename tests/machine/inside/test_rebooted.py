"""The service of `test_service.py` after a reboot (the machine's disk is what is left of it), and its removal."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from setpoint.service.unit import unit_name
from tests.machine.inside.people import Person, output
from tests.machine.inside.test_service import ADA, PATIENCE, journal, node
from tests.system.platform import Platform, eventually

pytestmark = [pytest.mark.machine, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def ada() -> Person:
    """She has not logged in since the machine was booted."""
    return ADA


@pytest.fixture(scope="module")
def running(ada: Person) -> Platform:
    """As it was installed before."""
    data = ada.home / "data"
    told = json.loads((data / "credentials.json").read_text())
    api, router = (urlsplit(told[name]).port or 0 for name in ("apiUrl", "routerUrl"))
    return Platform(data, api_port=api, router_port=router)


def test_it_is_there_again_without_anybody_logging_in(ada: Person, running: Platform) -> None:
    try:
        eventually(lambda: running.get("hello").status_code == 200, PATIENCE, every=2)
    finally:
        print(journal(ada))
    assert node(running)["limits"] == "full"
    assert [line for line in journal(ada).splitlines() if "A first project" in line] == []
    assert "State=lingering" in output("loginctl", "show-user", ada.name)


def test_remove_leaves_nothing_but_the_data(ada: Person, running: Platform) -> None:
    done = ada.setpoint("service", "remove", f"--data-dir={running.data_dir}")
    assert done.returncode == 0, done.stdout + done.stderr
    name = unit_name(running.data_dir)
    assert [each for each in ada.home.rglob(f"*{name}*") if not each.is_relative_to(running.data_dir)] == []
    assert list(Path("/sys/fs/cgroup").rglob(f"*{name}*")) == []
    assert [line for line in ada.processes() if str(running.data_dir) in line] == []
    assert running.credentials["apiKey"], "the data stays"
    assert ada.setpoint("service", "status", f"--data-dir={running.data_dir}").returncode != 0
