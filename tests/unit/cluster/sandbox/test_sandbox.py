"""A real bubblewrap: what is inside, what is not, how it ends and how it is found again."""

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.sandbox.check import find_walls
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.machine import this_machine
from cluster.sandbox.processes import holds, lock_free, programs, read_status, take_lock, wait_end
from cluster.sandbox.view import Limits, Machine, Mount, View
from tests.unit.cluster.eventually import eventually


async def _run(view: View, script: str, folder: Path) -> tuple[int | None, str]:
    out = os.open(folder / "out", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    pid = spawn(view, ["/bin/sh", "-c", script], this_machine(), Channels(out, out))
    os.close(out)
    return await asyncio.wait_for(wait_end(pid), 20), (folder / "out").read_text()


async def _until_running(status: Path) -> int:
    def reaper() -> int | None:
        pid = read_status(status).get("child-pid")
        return pid if pid and programs(pid) else None

    return await eventually(reaper) or 0


async def test_the_machine_lets_a_sandbox_run() -> None:
    assert (await find_walls(this_machine())).stand


async def test_inside_is_only_what_the_view_says(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "secret").write_text("canary")
    os.environ["SETPOINT_TEST_CANARY"] = "canary"
    view = View((Mount(tmp_path / "app", "/app"),), {"PATH": "/usr/bin:/bin", "GREETING": "hi"}, "/app")
    script = f"""id -u; pwd; env | grep -c CANARY; tr '\\0' '\\n' < /proc/1/environ | grep -c .; echo $GREETING
        cat {tmp_path}/secret; ls {tmp_path} | wc -l; touch /app/x /x /usr/x /etc/x /dev/x; touch /tmp/ok && echo tmp
        grep -c . /proc/self/mounts >/dev/null; ls /proc | grep -c '^[0-9]'; unshare -U true; ls /proc/self/fd | wc -l
        cat /etc/shadow; ls /root /home; grep CapEff /proc/self/status"""
    try:
        _, said = await _run(view, script, tmp_path)
    finally:
        del os.environ["SETPOINT_TEST_CANARY"]
    lines = said.splitlines()
    assert lines[:5] == ["1000", "/app", "0", "0", "hi"]
    assert "canary" not in said
    assert said.count("Read-only file system") >= 4
    assert "tmp" in lines
    assert "unshare failed" in said
    assert "CapEff:\t0000000000000000" in lines


async def test_values_are_in_no_process_list_and_it_outlives_its_starter(tmp_path: Path) -> None:
    lock = take_lock(tmp_path / "lock")
    assert lock is not None
    status = os.open(tmp_path / "status", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    out = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    view = View(environment={"PATH": "/usr/bin", "TOKEN": "canary-value"}, survives=True)
    command = ["/bin/sh", "-c", "trap 'exit 7' TERM; while :; do sleep 0.05; done"]
    outer = spawn(view, command, this_machine(), Channels(out, out, status, lock))
    for descriptor in (lock, status, out):
        os.close(descriptor)
    reaper = await _until_running(tmp_path / "status")
    for pid in (outer, reaper, *programs(reaper)):
        assert b"canary-value" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    assert holds(reaper, tmp_path / "lock")
    assert not holds(outer, tmp_path / "lock")
    assert not lock_free(tmp_path / "lock")
    os.kill(outer, signal.SIGKILL)
    await wait_end(outer)
    assert not lock_free(tmp_path / "lock"), "the sandbox lives on without its outer process"
    os.kill(reaper, signal.SIGKILL)
    await asyncio.wait_for(wait_end(reaper), 10)
    assert lock_free(tmp_path / "lock")


async def test_the_exit_code_is_kept_in_the_status_file(tmp_path: Path) -> None:
    status = os.open(tmp_path / "status", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    null = os.open(os.devnull, os.O_WRONLY)
    pid = spawn(View(), ["/bin/sh", "-c", "exit 7"], this_machine(), Channels(null, null, status))
    os.close(status)
    os.close(null)
    assert await asyncio.wait_for(wait_end(pid), 10) == 7
    assert read_status(tmp_path / "status")["exit-code"] == 7


async def test_what_does_not_survive_ends_with_its_process_tree(tmp_path: Path) -> None:
    lock = take_lock(tmp_path / "lock")
    assert lock is not None
    reading, writing = os.pipe()
    script = "sleep 1000 & echo runs; sleep 1000"
    outer = spawn(View(), ["/bin/sh", "-c", script], this_machine(), Channels(writing, writing, None, lock))
    os.close(lock)
    os.close(writing)
    # A moment before, bubblewrap's second process does not know yet whose death is its own.
    assert await asyncio.to_thread(os.read, reading, 10) == b"runs\n"
    os.close(reading)
    os.kill(outer, signal.SIGKILL)
    await wait_end(outer)
    await eventually(lambda: lock_free(tmp_path / "lock"))


@pytest.mark.parametrize("machine", [this_machine(), replace(this_machine(), landlock=0)], ids=["landlock", "without"])
async def test_what_steps_back_does_so_alone(tmp_path: Path, machine: Machine) -> None:
    """Niceness is set before the sandbox starts, and to us and to the next one nothing is changed."""
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    view = View(environment={"PATH": "/usr/bin:/bin"}, limits=Limits(niceness=7))
    for each, wanted in ((view, ours + 7), (replace(view, limits=Limits()), ours)):
        out = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        pid = spawn(each, ["nice"], machine, Channels(out, out))
        os.close(out)
        await asyncio.wait_for(wait_end(pid), 20)
        assert int((tmp_path / "out").read_text()) == min(wanted, 19)
    assert os.getpriority(os.PRIO_PROCESS, 0) == ours
