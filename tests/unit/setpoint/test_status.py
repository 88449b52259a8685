"""What `setpoint status` prints of an installation that does not run, and to whom it prints."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from setpoint.cli import main
from setpoint.installation import Installation
from setpoint.processes import write_process


@pytest.fixture
def stopped(tmp_path: Path) -> Installation:
    installation = Installation(tmp_path)
    installation.run.mkdir()
    depth = '{"waiting": 1, "working": 2, "delayed": 24, "failing": 3}'
    (installation.run / "controller.queue.json").write_text(depth)
    return installation


def test_the_queue_is_shown_of_a_loop_that_runs(stopped: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--data-dir", str(stopped.root)]) == 1
    assert "loop: not running" in capsys.readouterr().out
    write_process(stopped, "controller", os.getpid())
    assert main(["status", "--data-dir", str(stopped.root)]) == 1
    assert "loop: 1 waiting, 2 working, 24 to look at again, 3 failing" in capsys.readouterr().out


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_who_reads_a_part_of_it_only_sees_no_error_of_python(stopped: Installation, unbuffered: str) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "setpoint", "status", "--data-dir", str(stopped.root)]
    variables = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(command, env=variables, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")
