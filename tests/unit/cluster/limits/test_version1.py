"""Control groups of version 1, with the real kernel's: as root, where it has them."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from cluster.limits.allowance import Allowance, of_size
from cluster.limits.group import NoGroups
from cluster.limits.idle import gives_way
from cluster.limits.version1 import Version1Groups, find_version1
from tests.unit.cluster.limits import trials
from tests.unit.cluster.limits.trials import BURN, FORKS, HOG, MIB, burning, share_beside_another


@pytest.fixture
def groups() -> Version1Groups:
    found = find_version1(f"setpoint-test-{os.getpid()}", "node") if os.geteuid() == 0 else None
    if found is None:
        pytest.skip("no control groups of version 1 are ours here")
    return found


async def run(groups: Version1Groups, allowance: Allowance, code: str) -> tuple[int | None, bool, float]:
    group = groups.make("one", allowance)
    return await trials.run(group, list(group.folders.values()), code)


async def test_a_memory_hog_is_ended_and_it_is_known_why(groups: Version1Groups) -> None:
    ended, ran_out, _ = await run(groups, of_size(1, 64 * MIB, 100), HOG)
    assert ended == 137
    assert ran_out


async def test_what_stays_within_its_memory_did_not_run_out(groups: Version1Groups) -> None:
    ended, ran_out, _ = await run(groups, of_size(1, 64 * MIB, 100), "x = b'x' * 1048576")
    assert ended == 0
    assert not ran_out


async def test_no_more_processes_than_allowed(groups: Version1Groups) -> None:
    ended, _, _ = await run(groups, of_size(1, 256 * MIB, 50), FORKS)
    assert ended == 42


async def test_no_more_cpu_than_allowed(groups: Version1Groups) -> None:
    begun = time.monotonic()
    _, _, used = await run(groups, Allowance(0.2, 0.2, 128 * MIB, 50), BURN)
    passed = time.monotonic() - begun
    assert used < 0.5 * passed


def test_empty_groups_are_swept_and_others_kept(groups: Version1Groups) -> None:
    allowance = of_size(1, 64 * MIB, 50)
    left, kept, used = (groups.make(name, allowance) for name in ("left", "kept", "used"))
    process = subprocess.Popen(["sleep", "60"])
    try:
        used.join(process.pid)
        groups.sweep(["kept"])
        assert [folder.exists() for folder in left.folders.values()] == [False] * 3
        assert all(folder.exists() for group in (kept, used) for folder in group.folders.values())
    finally:
        process.kill()
        process.wait()
        groups.close()
    assert not list(Path("/sys/fs/cgroup").rglob(f"setpoint-test-{os.getpid()}*"))


def test_who_gives_way_runs_when_nobody_else_wants_to_and_has_its_share_again(groups: Version1Groups) -> None:
    allowance = of_size(0.5, 64 * MIB, 50)
    group = groups.make("one", allowance)
    core = min(os.sched_getaffinity(0))
    with burning(core) as pid, burning(core) as other:
        group.join(pid)
        group.give_way({})
        assert share_beside_another(pid, other) < 0.2 or not gives_way(os.uname().release)
        group.take_part(allowance, {})
        assert share_beside_another(pid, other) > 0.5
    assert (group.folders["cpu"] / "cpu.shares").read_text() == "5120\n"
    groups.close()


def test_a_group_that_is_found_again_takes_part(groups: Version1Groups) -> None:
    groups.make("one", of_size(0.5, 64 * MIB, 50)).give_way({})
    again = groups.make("one", of_size(0.25, 64 * MIB, 50)).folders["cpu"]
    assert [(again / file).read_text() for file in ("cpu.idle", "cpu.shares")] == ["0\n", "2560\n"]
    groups.close()


def test_a_group_that_is_gone_gives_no_way(groups: Version1Groups) -> None:
    group = groups.of("gone")
    assert not group.give_way({})
    group.take_part(of_size(1, 64 * MIB, 50), {})
    assert not group.folders["cpu"].exists()


def test_each_node_sweeps_its_own(groups: Version1Groups) -> None:
    others = [
        find_version1(installation, node)
        for installation, node in (
            (f"setpoint-test-{os.getpid()}", "node.b"),
            (f"setpoint-test-{os.getpid()}b", "node"),
        )
    ]
    theirs = [other.make("one", of_size(1, 64 * MIB, 50)) for other in others if other]
    groups.close()
    assert [group.folders["cpu"].exists() for group in theirs] == [True, True]
    for other in others:
        if other:
            other.close()
    assert [group.folders["cpu"].exists() for group in theirs] == [False, False]


@pytest.mark.parametrize(
    ("mounts", "places"),
    [
        ("", ""),
        ("41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/user.slice\n"),
        ("32 31 0:29 / /nowhere/cpu rw - cgroup cgroup rw,cpu\n", "1:cpu:/\n"),
    ],
)
def test_where_there_are_none_that_is_said(tmp_path: Path, mounts: str, places: str) -> None:
    (tmp_path / "mountinfo").write_text(mounts)
    (tmp_path / "cgroup").write_text(places)
    assert find_version1("setpoint-x", "node", tmp_path) is None
    none = NoGroups("nowhere").make("x", of_size(1, 1, 1))
    none.join(0)
    assert not none.give_way({})
    none.take_part(of_size(1, 1, 1), {})
    none.remove()
    assert not none.ran_out()
