"""Sessions that step back behind others, where the kernel shares the CPU out by them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.limits.allowance import of_size
from cluster.limits.group import Sessions
from cluster.limits.sessions import MOST_SESSIONS, SessionGroup, SessionGroups, shared_by_session

ALLOWANCE = of_size(0.1, 1 << 20, 10)


@pytest.fixture
def sessions() -> Iterator[Sessions]:
    command = [sys.executable, "-c", "input()"]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) for _ in range(2)]
    yield {os.getsid(each.pid): each.pid for each in started}
    for each in started:
        each.communicate(b"\n")


def nice(pid: int) -> int:
    return int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1])


def told(group: SessionGroup, sessions: Sessions, gives: bool) -> None:
    """The kernel hears only so many words in a second from who is not root."""
    end = time.monotonic() + 10
    while True:
        try:
            if gives:
                assert group.give_way(sessions)
            else:
                group.take_part(ALLOWANCE, sessions)
        except BlockingIOError:
            assert time.monotonic() < end
            time.sleep(0.02)
        else:
            return


def test_all_of_them_step_back_and_come_forward_again(sessions: Sessions) -> None:
    group = SessionGroup()
    told(group, sessions, True)
    assert [nice(pid) for pid in sessions.values()] == [19, 19]
    told(group, sessions, True)
    told(group, sessions, False)
    assert [nice(pid) for pid in sessions.values()] == [0, 0]


def test_one_that_is_gone_is_left_out(sessions: Sessions) -> None:
    ended = subprocess.Popen(["/bin/true"])
    ended.wait()
    told(SessionGroup(), {1 << 22: ended.pid, **sessions}, True)
    assert [nice(pid) for pid in sessions.values()] == [19, 19]


def test_who_has_many_has_the_share_of_many() -> None:
    group = SessionGroups("no groups").of("one")
    assert not group.scattered({number: number for number in range(MOST_SESSIONS)})
    assert group.scattered({number: number for number in range(MOST_SESSIONS + 1)})


def machine(root: Path, enabled: str, groups: str, weighed: str = "") -> bool:
    """`weighed`: the folder that has a share of the CPU of its own in version 2."""
    (root / "proc/sys/kernel").mkdir(parents=True)
    (root / "proc/sys/kernel/sched_autogroup_enabled").write_text(enabled)
    (root / "proc/self").mkdir()
    (root / "proc/self/cgroup").write_text(groups)
    folder = root / "groups" / weighed
    folder.mkdir(parents=True)
    if weighed:
        (folder / "cpu.weight").write_text("100\n")
    return shared_by_session(root / "proc", root / "groups")


@pytest.mark.parametrize(
    ("enabled", "groups", "weighed", "shared"),
    [
        ("1\n", "2:cpu,cpuacct:/\n0::/\n", "", True),
        ("0\n", "2:cpu,cpuacct:/\n0::/\n", "", False),
        ("1\n", "2:cpu,cpuacct:/user.slice\n", "", False),
        ("1\n", "3:cpuset:/a\n2:cpu:/\n", "", True),
        ("1\n", "0::/user.slice/user-1000.slice\n", "", True),
        ("1\n", "0::/user.slice/user-1000.slice\n", "user.slice", False),
        ("1\n", "0::/user.slice/user-1000.slice\n", "system.slice", True),
    ],
)
def test_only_where_no_group_has_a_share(tmp_path: Path, enabled: str, groups: str, weighed: str, shared: bool) -> None:
    assert machine(tmp_path, enabled, groups, weighed) == shared


def test_not_where_nothing_is_known_of_it(tmp_path: Path) -> None:
    assert not shared_by_session(tmp_path, tmp_path)
