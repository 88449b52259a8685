"""Where control groups are not ours the kernel shares the CPU out by session (autogroups, sched(7)), and a session can
be told to step back behind the others: by its owner, some ten times a second for all of them together."""

import contextlib
import errno
import re
from pathlib import Path

from cluster.limits.allowance import Allowance
from cluster.limits.group import Group, NoGroup, NoGroups, Sessions

MOST_SESSIONS = 16
"""Sessions of one who computes all the time: with more of them it has the share of as many others."""
_BEHIND = 19
_NICE = re.compile(r" nice (-?\d+)$", re.MULTILINE)


class SessionGroup(NoGroup):
    """Of one sandbox, by its sessions. One that could not be told yet (OSError) is told when it is tried again."""

    def give_way(self, sessions: Sessions, /) -> bool:
        for pid in sessions.values():
            _set_nice(pid, _BEHIND)
        return True

    def take_part(self, _allowance: Allowance, sessions: Sessions, /) -> None:
        for pid in sessions.values():
            _set_nice(pid, 0)

    def scattered(self, sessions: Sessions, /) -> bool:
        return len(sessions) > MOST_SESSIONS


class SessionGroups(NoGroups):
    """Nothing is kept of them."""

    def make(self, _name: str, _allowance: Allowance, /) -> Group:
        return SessionGroup()

    def of(self, _name: str, /) -> Group:
        return SessionGroup()


def shared_by_session(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> bool:
    """Only among processes that are in no group for CPU, and unless it was turned off."""
    try:
        if (proc / "sys/kernel/sched_autogroup_enabled").read_text().strip() != "1":
            return False
        lines = (proc / "self/cgroup").read_text().splitlines()
    except OSError:
        return False
    paths = {controllers: path for _, controllers, path in (line.split(":", 2) for line in lines)}
    for controllers, path in paths.items():
        if "cpu" in controllers.split(","):
            return path == "/"
    own = groups / paths.get("", "/").lstrip("/")
    return not any((folder / "cpu.weight").exists() for folder in (own, *own.parents) if folder.is_relative_to(groups))


def _set_nice(pid: int, nice: int) -> None:
    """Only if it has another: that is free, and telling it is not."""
    file = Path(f"/proc/{pid}/autogroup")
    with contextlib.suppress(FileNotFoundError):
        try:
            found = _NICE.search(file.read_text())
            if found and int(found[1]) != nice:
                file.write_text(str(nice))
        except OSError as error:
            if error.errno != errno.ESRCH:
                raise
