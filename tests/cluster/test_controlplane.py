"""`make control-plane`: it stands as a whole, or it ends as a whole and says why."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from cluster.controlplane.build import CACHE, programs, told
from setpoint.processes import children_of


def test_when_one_of_its_programs_ends_all_of_it_does(tmp_path: Path) -> None:
    programs(CACHE, told)
    command = [sys.executable, "-m", "tests.cluster.controlplane", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        assert any("A control plane is ready" in line for line in run.stderr)
        assert "Ctrl-C stops it" in run.stderr.readline()
        children = children_of(run.pid)
        (server,) = [pid for pid in children if "kube-apiserver" in Path(f"/proc/{pid}/cmdline").read_text()]
        os.kill(server, signal.SIGKILL)
        assert re.match("kube-apiserver has ended: so does the rest", run.stderr.read())
        assert run.wait(30) == 1
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]
