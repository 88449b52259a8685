"""What is run in a group to see what it holds, and how."""

import asyncio
import os
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
