"""Who computes all day gives way to all others, and takes part again when it rests."""

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path

import httpx

from cluster.limits.idle import gives_way
from cluster.limits.sessions import shared_by_session
from cluster.sandbox.processes import programs, read_status
from tests.system.platform import Platform, eventually
from tests.system.walls.hogs import start_hog, states_of


def groups_of(uid: str) -> list[Path]:
    return list(Path("/sys/fs/cgroup").rglob(f"*+{uid}"))


def beating(running: Platform) -> bool:
    """Does the metronome of this installation?"""
    lock = str(running.data_dir / "metronome.lock").encode()
    found = False
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found = found or lock in file.read_bytes().split(b"\0")
    return found


def tell_to_rest(groups: Iterable[Path]) -> None:
    for pid in {pid for group in groups for pid in (group / "cgroup.procs").read_text().split()}:
        if "python" in Path(f"/proc/{pid}/comm").read_text():
            os.kill(int(pid), signal.SIGUSR1)


def its_session_steps_back(running: Platform, client: httpx.Client, folder: Path) -> None:
    project = start_hog(running, client, "resting", folder)
    eventually(lambda: "Running" in states_of(running, "resting")())
    (record,) = running.records("instances")
    (kept,) = running.data_dir.glob(f"nodes/*/instances/{record['metadata']['uid']}")
    reaper = read_status(kept / "status")["child-pid"]
    told = Path(f"/proc/{reaper}/autogroup")
    eventually(lambda: told.read_text().endswith(" nice 19\n"))
    running.kill(record["spec"]["node"])
    for burner in programs(reaper):
        if "hog.py" in Path(f"/proc/{burner}/cmdline").read_text():
            os.kill(burner, signal.SIGUSR1)
    eventually(lambda: told.read_text().endswith(" nice 0\n"))
    client.delete(f"/v1/projects/{project}")
    eventually(lambda: not states_of(running, "resting")(), 30)


def test_a_burner_gives_way_until_it_rests(running: Platform, client: httpx.Client, tmp_path: Path) -> None:
    (node,) = running.records("computenodes")
    if node["status"]["limits"] != "full":
        (limits,) = (each for each in node["status"]["conditions"] if each["type"] == "Limits")
        assert "CPU is not shared out" in limits["message"], "no group can give way here, and it is said"
        if shared_by_session():
            its_session_steps_back(running, client, tmp_path / "hog")
        return
    project = start_hog(running, client, "resting", tmp_path / "hog")
    eventually(lambda: "Running" in states_of(running, "resting")())
    (record,) = running.records("instances")
    groups = groups_of(record["metadata"]["uid"])
    (idle,) = (group / "cpu.idle" for group in groups if (group / "cpu.idle").exists())
    # On older kernels nobody gives way.
    giving = "1\n" if gives_way(os.uname().release) else "0\n"
    eventually(lambda: idle.read_text() == giving)
    eventually(lambda: beating(running) == gives_way(os.uname().release))

    running.kill(node["metadata"]["name"])
    idle.write_text("0")
    eventually(lambda: idle.read_text() == giving)
    eventually(lambda: beating(running) == gives_way(os.uname().release))

    tell_to_rest(groups)
    eventually(lambda: idle.read_text() == "0\n")
    eventually(lambda: not beating(running))
    client.delete(f"/v1/projects/{project}")
    eventually(lambda: not groups_of(record["metadata"]["uid"]))
