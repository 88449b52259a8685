"""What is run in a group to see what it holds, and how."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from cluster.limits.group import Group
from cluster.sandbox.cell import Cell
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.machine import interpreter_mounts, this_machine
from cluster.sandbox.processes import wait_end
from cluster.sandbox.view import View
from setpoint.run.node import base_python

MIB = 1024 * 1024
HOG = "x = []\nwhile True: x.append(bytearray(b'x' * 1048576))"
FORKS = """
import os, sys, time
made = 0
for _ in range(200):
    try:
        if os.fork() == 0:
            time.sleep(60)
    except BlockingIOError:
        break
    made += 1
sys.exit(1 if made > 100 else 42)
"""
BURN = "import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass"


async def run(group: Group, folders: list[Path], code: str) -> tuple[int | None, bool, float]:
    """In a sandbox in that group, which then goes: exit code, whether it ran out of memory, CPU seconds used."""
    null = os.open(os.devnull, os.O_WRONLY)
    python = base_python()
    before = os.times()
    view = View(interpreter_mounts(python), {"PATH": "/usr/bin:/bin"})
    try:
        pid = spawn(view, [str(python), "-c", code], this_machine(), Channels(null, null), Cell(group=group))
        ended = await asyncio.wait_for(wait_end(pid), 60)
    finally:
        os.close(null)
    after = os.times()
    ran_out = group.ran_out()
    async with asyncio.timeout(10):
        while any(folder.exists() for folder in folders):
            group.remove()
            await asyncio.sleep(0.02)
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return ended, ran_out, used


@contextlib.contextmanager
def burning(core: int) -> Iterator[int]:
    """A process that computes all day, on that core alone; its pid."""
    program = f"import os\nos.sched_setaffinity(0, [{core}])\nprint(flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        try:
            # Until then it waits for files, and leaves the core to whoever wants it.
            assert process.stdout
            assert process.stdout.readline()
            yield process.pid
        finally:
            process.kill()


def seconds_of(pid: int) -> float:
    """Of CPU, so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share_beside_another(pid: int, other: int) -> float:
    """What it gets of what both get, from now on."""
    begun, others = seconds_of(pid), seconds_of(other)
    until = time.monotonic() + 60
    while (his := seconds_of(other) - others) < 1 and seconds_of(pid) - begun < 1:
        assert time.monotonic() < until, "neither gets anything"
        time.sleep(0.05)
    mine = seconds_of(pid) - begun
    return mine / (mine + his)
