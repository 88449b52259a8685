"""`setpoint service` as it is called."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from setpoint.service.command import _check_clash
from setpoint.service.manager import Refused
from setpoint.service.unit import ROOT, unit_name
from tests.unit.setpoint.service.test_unit import settings

BOOTED = Path("/run/systemd/system").is_dir()


def setpoint(*arguments: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "setpoint", "service", *arguments]
    return subprocess.run(command, cwd=ROOT, env=dict(environment), capture_output=True, text=True, timeout=60)


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, str]:
    """An environment with an empty PATH and a home of its own."""
    (tmp_path / "bin").mkdir()
    return {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_a_dry_run_prints_the_unit_and_changes_nothing(tmp_path: Path, alone: dict[str, str]) -> None:
    data = tmp_path / "my data"
    done = setpoint("install", "--dry-run", "--data-dir", str(data), "--nodes", "2", environment=alone)
    assert (done.returncode, done.stderr) == (0, "")
    assert f'ExecStart=":{sys.executable}" "-m" "setpoint" "up" "--data-dir={data}"' in done.stdout
    assert '"--nodes=2"' in done.stdout
    assert "Delegate=cpu memory pids" in done.stdout
    assert "TimeoutStopSec=120" in done.stdout
    assert not data.exists()
    assert [each.name for each in tmp_path.iterdir()] == ["bin"]


def test_a_value_that_would_end_its_line_is_refused(tmp_path: Path, alone: dict[str, str]) -> None:
    folder = f"{tmp_path}\nExecStartPre=/bin/false"
    done = setpoint("install", "--dry-run", "--data-dir", folder, environment=alone)
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be written into a unit" in done.stderr


@pytest.mark.parametrize("action", ["install", "remove", "status"])
def test_without_systemctl_it_says_so(tmp_path: Path, alone: dict[str, str], action: str) -> None:
    done = setpoint(action, "--data-dir", str(tmp_path / "data"), environment=alone)
    assert (done.returncode, done.stdout) == (1, "")
    assert "systemctl is missing" in done.stderr
    assert "setpoint up" in done.stderr, "what to do instead"
    assert [each.name for each in tmp_path.iterdir()] == ["bin"]


@pytest.mark.skipif(BOOTED, reason="systemd runs this machine")
@pytest.mark.skipif(shutil.which("systemctl") is None, reason="systemctl is not here")
def test_where_systemd_does_not_run_it_says_so(tmp_path: Path, alone: dict[str, str]) -> None:
    name = unit_name(tmp_path / "data")
    done = setpoint("install", "--data-dir", str(tmp_path / "data"), environment={**alone, "PATH": os.environ["PATH"]})
    assert (done.returncode, done.stdout) == (1, "")
    assert "systemd is not what runs this machine" in done.stderr
    assert not (Path("/etc/systemd/system") / name).exists()
    assert [each.name for each in tmp_path.iterdir()] == ["bin"]


def test_the_unit_of_something_else_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "setpoint.service"
    ours = settings("--data-dir", "/srv/a")
    _check_clash(path, ours)
    path.write_text("[Unit]\nDescription=Setpoint (its data folder: /srv/b)\n")
    with pytest.raises(Refused, match="is of something else"):
        _check_clash(path, ours)
    path.write_text("[Unit]\nDescription=Setpoint (its data folder: /srv/a)\n")
    _check_clash(path, ours)
