"""Which part of version 2's tree is taken, and what is written where: on a folder that looks like one."""

import os
from pathlib import Path

import pytest

from cluster.limits.allowance import of_size
from cluster.limits.delegation import PLATFORM, Unavailable, _make_room, find_version2
from cluster.limits.group import NoGroups
from cluster.limits.idle import gives_way
from cluster.limits.remedy import Machine, remedy, this_machine, writable

MIB = 1024 * 1024
ALL = "cpuset cpu io memory pids"
ENABLED = "+cpu +memory +pids"


class Tree:
    """`proc` says that we are in the group `own` of the tree that is mounted at `top`."""

    def __init__(self, folder: Path, own: str, controllers: str = ALL, root: str = "/"):
        self.top, self.proc = folder / "cgroup", folder / "proc"
        self.proc.mkdir()
        self.group("", controllers)
        (self.proc / "mountinfo").write_text(
            f"31 23 0:26 / /elsewhere rw shared:9 - tmpfs tmpfs rw\n"
            f"35 24 0:30 {root} {self.top} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
        )
        (self.proc / "cgroup").write_text(f"1:name=systemd:/\n0::{own}\n")

    def group(self, name: str, controllers: str = ALL, pids: str = "") -> Path:
        path = self.top / name
        path.mkdir(parents=True)
        (path / "cgroup.controllers").write_text(f"{controllers}\n")
        (path / "cgroup.procs").write_text(pids)
        (path / "cgroup.subtree_control").write_text("")
        return path


def text(folder: Path, file: str) -> str:
    return (folder / file).read_text()


def test_below_our_own_group(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "/user/unit.service")
    own = tree.group("user/unit.service")
    group = find_version2("setpoint-1", "node-1", tree.proc).make("one", of_size(0.5, 64 * MIB, 100))
    assert group.folder == own / "setpoint-1+node-1+one"
    assert text(own, "cgroup.subtree_control") == ENABLED
    assert text(tree.top, "cgroup.subtree_control") == "", "nothing above our own is touched"
    written = {path.name: path.read_text() for path in group.folder.iterdir()}
    assert written == {
        "cpu.weight": "500",
        "cpu.max": "100000 100000",
        "memory.max": str(64 * MIB),
        "pids.max": "100",
    }, "this kernel does not count swap"
    group.join(4711)
    assert text(group.folder, "cgroup.procs") == "4711"


def test_where_the_kernel_knows_no_giving_way_nothing_happens(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "/unit.service")
    tree.group("unit.service")
    allowance = of_size(0.5, 64 * MIB, 100)
    group = find_version2("setpoint-1", "node-1", tree.proc).make("one", allowance)
    (group.folder / "cpu.weight").write_text("7")
    group.give_way({})
    group.take_part(allowance, {})
    assert not (group.folder / "cpu.idle").exists()
    (group.folder / "cpu.idle").write_text("0")
    group.give_way({})
    assert text(group.folder, "cpu.idle") == ("1" if gives_way(os.uname().release) else "0")
    group.take_part(allowance, {})
    assert (text(group.folder, "cpu.idle"), text(group.folder, "cpu.weight")) == ("0", "500")


def test_an_agent_in_the_leaf_of_the_platform_divides_what_is_around_it(tmp_path: Path) -> None:
    tree = Tree(tmp_path, f"/unit.service/{PLATFORM}")
    own = tree.group("unit.service")
    tree.group(f"unit.service/{PLATFORM}")
    assert find_version2("setpoint-1", "node-2", tree.proc).of("x").folder == own / "setpoint-1+node-2+x"


def test_a_tree_of_which_only_a_part_is_mounted(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "/box/unit", root="/box")
    own = tree.group("unit")
    assert find_version2("setpoint-1", "n", tree.proc).of("x").folder == own / "setpoint-1+n+x"


def test_who_is_in_our_group_moves_into_the_leaf_but_nobody_whom_we_cannot_see(tmp_path: Path) -> None:
    own = Tree(tmp_path, "/unit").group("unit", pids="0\n12\n0\n")
    _make_room(own)
    assert text(own / PLATFORM, "cgroup.procs") == "12"


@pytest.mark.parametrize(
    ("own", "controllers", "words"),
    [
        ("/unit", "memory pids", "lacks cpu"),
        ("/unit", "", "lacks cpu, memory, pids"),
        ("/gone", ALL, "cannot be divided: No such file"),
        ("/../other", ALL, "can be seen"),
    ],
)
def test_why_none_are_ours(tmp_path: Path, own: str, controllers: str, words: str) -> None:
    tree = Tree(tmp_path, own, controllers="")
    tree.group("unit", controllers)
    with pytest.raises(Unavailable, match=words):
        find_version2("setpoint-1", "node", tree.proc)
    assert not list(tree.top.rglob("setpoint-*"))


def test_where_the_tree_is_not_mounted_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_text("32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n")
    for places in ("", "1:cpu:/\n", "0::/\n"):
        (tmp_path / "cgroup").write_text(places)
        with pytest.raises(Unavailable, match="none of version 2"):
            find_version2("setpoint-1", "node", tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root takes the whole tree")
def test_root_falls_back_to_the_whole_tree_and_moves_nobody(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "/session")
    tree.group("session", "memory pids", pids="12")
    assert find_version2("setpoint-1", "n", tree.proc).of("x").folder == tree.top / "setpoint-1+n+x"
    assert not list(tree.top.rglob(PLATFORM))


def test_what_the_kernel_counts_is_read(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "/")
    group = find_version2("setpoint-1", "node", tree.proc).make("one", of_size(1, 64 * MIB, 10))
    assert (group.ran_out(), group.memory_bytes()) == (False, None), "nothing is there to read"
    (group.folder / "memory.events").write_text("low 0\nmax 3\noom 1\noom_kill 0\noom_group_kill 1\n")
    (group.folder / "memory.current").write_text("5000\n")
    (group.folder / "memory.stat").write_text("active_file 900\ninactive_file 1000\n")
    assert (group.ran_out(), group.memory_bytes()) == (False, 4000)
    (group.folder / "memory.events").write_text("oom 1\noom_kill 2\noom_group_kill 0\n")
    (group.folder / "memory.stat").write_text("inactive_file 6000\n")
    assert (group.ran_out(), group.memory_bytes()) == (True, 0)


@pytest.mark.parametrize(
    ("machine", "line"),
    [
        (Machine(False, ALL.split(), None), ""),
        (Machine(False, [], None, ["cpu", "memory"]), ""),
        (
            Machine(False, [], None, ALL.split(), "/srv/a b/setpoint"),
            "sudo '/srv/a b/setpoint' up --data-dir '/srv/my data'",
        ),
        (Machine(True, ALL.split(), None), "setpoint service install --data-dir '/srv/my data'"),
        (Machine(True, ALL.split(), ALL.split()), "setpoint service install --data-dir '/srv/my data'"),
        (Machine(True, ALL.split(), ["memory", "pids"]), "Delegate=cpu memory pids"),
        (Machine(True, [], None), "systemd.unified_cgroup_hierarchy=1"),
    ],
)
def test_the_line_that_would_give_us_some(machine: Machine, line: str) -> None:
    found = remedy(machine, Path("/srv/my data"))
    assert line in found
    assert bool(line) == bool(found)
    assert NoGroups("why", found).remedy == found


def test_which_of_them_root_could_divide() -> None:
    mounts = """31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:7 - cgroup cgroup rw,cpu,cpuacct
33 31 0:30 / /sys/fs/cgroup/pids ro,relatime - cgroup cgroup rw,pids
34 31 0:30 / /sys/fs/cgroup/unified {} - cgroup2 none rw

oops
"""
    assert writable(mounts.format("ro,nosuid"), ALL.split()) & {*ALL.split(), "cpuacct"} == {"cpu", "cpuacct"}
    assert writable(mounts.format("rw,nosuid"), ["memory"]) & {*ALL.split()} == {"cpu", "memory"}


def test_this_machine_names_a_program_that_is_there() -> None:
    """Somebody else's PATH does not lead to it."""
    assert Path(this_machine().program).is_file()
