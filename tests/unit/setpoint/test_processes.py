"""Processes by id and birth."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from setpoint.installation import Installation
from setpoint.processes import Process, birth_of, process_of, pss_bytes, write_process


def test_a_number_used_again_is_not_mistaken() -> None:
    birth = birth_of(os.getpid())
    assert birth is not None
    assert Process(os.getpid(), birth).alive()
    other = Process(os.getpid(), birth - 1)
    assert not other.alive()
    other.signal(signal.SIGKILL)  # reaches nobody: we live on
    assert pss_bytes(os.getpid()) > 1_000_000


def test_an_ended_one_is_gone_even_before_it_is_collected(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    installation.prepare()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    write_process(installation, "part", child.pid)
    known = process_of(installation, "part")
    assert known is not None
    assert known.pid == child.pid
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process_of(installation, "part") is None
    child.communicate()
    assert process_of(installation, "nobody") is None
