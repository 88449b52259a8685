"""Tests that are killed leave nothing behind."""

import subprocess
import sys
from pathlib import Path

from setpoint.processes import Process, birth_of
from tests.system.platform import ROOT, eventually

_KILLED = """
import signal, sys
from pathlib import Path
from tests.contract.apiserver.server import prepared
from tests.system.platform import Platform
server = prepared(Path(sys.argv[1], "server"))
server.start()
running = Platform(Path(sys.argv[1], "data")).start()
print(server.process.pid, running.process.pid, *map(running.pid, ["apiserver", "fabric", "router", "node-1", "api"]))
sys.stdout.flush()
signal.pause()
"""


def test_what_killed_tests_had_started_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KILLED, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        pids = [int(word) for word in tests.stdout.readline().split()]
        tests.kill()
    assert len(pids) == 7
    left = [Process(pid, birth_of(pid) or 0) for pid in pids]
    eventually(lambda: not [each for each in left if each.alive()], 60)
