"""A group that is given to us while others run in it, with the real kernel's rules and an ordinary user's rights: any
controller of version 2 will do for that, and the limits themselves are another test's."""

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cluster.limits.allowance import of_size
from cluster.limits.delegation import PLATFORM, _own_group, find_version2

USER = 65534
# With these, unlike with cpu and pids, the kernel insists on a group without processes.
STRICT = ("memory", "hugetlb", "io")


def own_tree() -> tuple[Path, str]:
    """Where version 2 is mounted, and a controller of it. Skips where there is none."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a group to somebody else")
    try:
        tree, _ = _own_group(Path("/proc/self"))
        there = (tree / "cgroup.controllers").read_text().split()
    except Exception as error:
        pytest.skip(f"no control groups of version 2 are mounted here (`make test-machine` has them): {error}")
    found = [each for each in STRICT if each in there]
    if not found or (tree / "cgroup.type").exists():
        pytest.skip(
            f"version 2 has none of {', '.join(STRICT)} here (`make test-machine` has), or no root is to be seen"
        )
    return tree, found[0]


@dataclass(frozen=True)
class Worker:
    """Works once it is told to `begin`."""

    pid: int
    go: int
    reading: int

    def begin(self) -> "Worker":
        os.write(self.go, b"!")
        os.close(self.go)
        return self

    def answer(self) -> object:
        with os.fdopen(self.reading) as file:
            said = file.read()
        os.waitpid(self.pid, 0)
        return json.loads(said)


class Delegated:
    """A group of the ordinary user's, as systemd would give it, with a process in it."""

    def __init__(self, folder: Path, controller: str):
        self.folder, self.controller = folder, controller
        folder.mkdir()
        for file in ("", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"):
            os.chown(folder / file, USER, USER)
        self.sleeper = subprocess.Popen(["sleep", "300"])
        (folder / "cgroup.procs").write_text(str(self.sleeper.pid))

    def enter(self, group: Path, work: Callable[[], object]) -> "Worker":
        """A process of that user in that group."""
        waiting, go = os.pipe()
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            _as_user(waiting, work, writing)
        (group / "cgroup.procs").write_text(str(pid))
        os.close(waiting)
        os.close(writing)
        return Worker(pid, go, reading)

    def agent(self, installation: str, node: str) -> Callable[[], object]:
        def work() -> object:
            groups = find_version2(installation, node, controllers=[self.controller])
            group = groups.make("one", of_size(1, 64 << 20, 50))
            group.join(os.getpid())
            return [str(group.folder), Path("/proc/self/cgroup").read_text().splitlines()[-1]]

        return work

    def close(self) -> None:
        self.sleeper.kill()
        self.sleeper.wait()
        for path in sorted((each for each in self.folder.rglob("*") if each.is_dir()), reverse=True):
            path.rmdir()
        self.folder.rmdir()


def _as_user(waiting: int, work: Callable[[], object], writing: int) -> None:
    try:
        os.read(waiting, 1)
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
        os.write(writing, json.dumps(work()).encode())
    except BaseException as error:
        os.write(writing, json.dumps(repr(error)).encode())
    finally:
        os._exit(0)


@pytest.fixture
def delegated() -> Iterator[Delegated]:
    tree, controller = own_tree()
    enabled = (tree / "cgroup.subtree_control").read_text().split()
    (tree / "cgroup.subtree_control").write_text(f"+{controller}")
    given = Delegated(tree / f"setpoint-test-{os.getpid()}", controller)
    yield given
    given.close()
    if controller not in enabled:
        # Somebody may have begun to use it meanwhile.
        with contextlib.suppress(OSError):
            (tree / "cgroup.subtree_control").write_text(f"-{controller}")


def test_agents_that_start_at_once_all_find_room(delegated: Delegated) -> None:
    names = [("setpoint-a", "node-1"), ("setpoint-a", "node-2"), ("setpoint-b", "node-1")]
    waiting = [delegated.enter(delegated.folder, delegated.agent(*name)) for name in names]
    working = [worker.begin() for worker in waiting]
    for name, worker in zip(names, working, strict=True):
        group = "+".join((*name, "one"))
        assert worker.answer() == [f"{delegated.folder}/{group}", f"0::/{delegated.folder.name}/{group}"]
    assert (delegated.folder / "cgroup.procs").read_text() == ""
    leaf = (delegated.folder / PLATFORM / "cgroup.procs").read_text().split()
    assert leaf == [str(delegated.sleeper.pid)], "who was there before runs on, in the leaf"


def test_an_agent_that_starts_in_the_leaf_finds_what_is_there(delegated: Delegated) -> None:
    agent = delegated.agent("setpoint-a", "node-1")
    first = delegated.enter(delegated.folder, agent).begin().answer()
    assert delegated.enter(delegated.folder / PLATFORM, agent).begin().answer() == first


def test_what_is_not_given_to_us_is_left_alone(delegated: Delegated) -> None:
    os.chown(delegated.folder / "cgroup.procs", 0, 0)
    said = delegated.enter(delegated.folder, delegated.agent("setpoint-a", "node-1")).begin().answer()
    assert "belongs to somebody else" in str(said)
    assert [path for path in delegated.folder.iterdir() if path.is_dir()] == []
