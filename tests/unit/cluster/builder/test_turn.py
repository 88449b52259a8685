"""Two builds of one project are never at work together, whatever became of the agent that began the first."""

import asyncio
import os
from pathlib import Path

from cluster.builder.turn import a_turn
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.machine import this_machine
from cluster.sandbox.processes import lock_free, take_lock, wait_end
from cluster.sandbox.view import View
from tests.unit.cluster.eventually import eventually


async def test_one_waits_for_the_other_and_another_project_for_nobody(tmp_path: Path) -> None:
    lock, other = tmp_path / "p1/lock", tmp_path / "p2/lock"
    waiting = asyncio.Event()
    said: list[str] = []

    async def second() -> None:
        waiting.set()
        async with a_turn(lock):
            said.append("second")

    async with a_turn(lock):
        task = asyncio.ensure_future(second())
        await waiting.wait()
        async with a_turn(other):
            said.append("other")
        said.append("first")
    await task
    assert said == ["other", "first", "second"]


def _left_behind(lock: Path, out: Path) -> int:
    """A step that outlived its agent, and does not mind being asked to end."""
    held = take_lock(lock)
    assert held is not None
    descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    view = View(environment={"PATH": "/usr/bin:/bin"}, survives=True)
    command = ["/bin/sh", "-c", "trap '' TERM; echo begun; while :; do sleep 1; done"]
    try:
        return spawn(view, command, this_machine(), Channels(descriptor, descriptor, None, held))
    finally:
        os.close(descriptor)
        os.close(held)


async def test_what_an_agent_left_has_ended_before_the_next_build_begins(tmp_path: Path) -> None:
    lock, out = tmp_path / "lock", tmp_path / "out"
    outer = _left_behind(lock, out)
    await eventually(lambda: out.read_text() == "begun\n")
    assert not lock_free(lock)
    async with asyncio.timeout(20), a_turn(lock):
        assert lock_free(lock)
        await wait_end(outer)
