"""Control groups of version 2: one tree for all controllers."""

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cluster.limits.allowance import Allowance
from cluster.limits.group import Sessions
from cluster.limits.idle import end_idle, set_idle
from cluster.limits.names import others

CONTROLLERS = ("cpu", "memory", "pids")
_PERIOD_MICROSECONDS = 100_000
_LEAST_QUOTA_MICROSECONDS = 1_000
# A tenth of a core, the smallest size, weighs as much as any group that nobody gave a weight.
_WEIGHT_OF_A_CORE = 1_000
_WEIGHT = "cpu.weight"
_WEIGHTS = (1, 10_000)
_SPARE = re.compile(r"^inactive_file (\d+)$", re.MULTILINE)
_KILLED = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Version2Group:
    folder: Path

    def join(self, pid: int) -> None:
        (self.folder / "cgroup.procs").write_text(str(pid))

    def ran_out(self) -> bool:
        try:
            found = _KILLED.search((self.folder / "memory.events").read_text())
        except OSError:
            return False
        return found is not None and int(found[1]) > 0

    def give_way(self, _sessions: Sessions, /) -> bool:
        return set_idle(self.folder)

    def take_part(self, allowance: Allowance, _sessions: Sessions, /) -> None:
        end_idle(self.folder)
        with contextlib.suppress(FileNotFoundError):
            _write(self.folder / _WEIGHT, values(allowance)[_WEIGHT])

    def scattered(self, _sessions: Sessions, /) -> bool:
        return False

    def memory_bytes(self) -> int | None:
        try:
            used = int((self.folder / "memory.current").read_text())
            spare = _SPARE.search((self.folder / "memory.stat").read_text())
        except (OSError, ValueError):
            return None
        return max(0, used - int(spare[1])) if spare else used

    def remove(self) -> bool:
        with contextlib.suppress(OSError):
            self.folder.rmdir()
        return not self.folder.exists()


class Version2Groups:
    """`root`: the group that ours stand in, beside that of the platform, and whose members have these controllers;
    `prefix`: what the names of this node's begin with."""

    kind = "cgroup2"
    reason = ""
    remedy = ""

    def __init__(self, root: Path, prefix: str, controllers: Iterable[str] = CONTROLLERS):
        self._root = root
        self._prefix = prefix
        self._controllers = frozenset(controllers)

    def make(self, name: str, allowance: Allowance) -> Version2Group:
        group = self.of(name)
        group.folder.mkdir(exist_ok=True)
        end_idle(group.folder)
        for file, value in values(allowance).items():
            if file.partition(".")[0] in self._controllers:
                _write(group.folder / file, value)
        return group

    def of(self, name: str) -> Version2Group:
        return Version2Group(self._root / f"{self._prefix}{name}")

    def sweep(self, kept: Iterable[str]) -> None:
        for folder in others(self._root, self._prefix, kept):
            Version2Group(folder).remove()

    def close(self) -> None:
        self.sweep([])


def values(allowance: Allowance) -> dict[str, str]:
    """What is written into which file. The kernel ends one process for want of memory, not the whole group
    (memory.oom.group): what supervises its own workers goes on, and the sandbox lives to tell its exit code."""
    least, most = _WEIGHTS
    quota = max(_LEAST_QUOTA_MICROSECONDS, round(_PERIOD_MICROSECONDS * allowance.most_cpu))
    return {
        _WEIGHT: str(min(most, max(least, round(_WEIGHT_OF_A_CORE * allowance.cpu)))),
        "cpu.max": f"{quota} {_PERIOD_MICROSECONDS}",
        "memory.max": str(allowance.memory_bytes),
        # Swapping would let a hog slow everybody down instead of ending it.
        "memory.swap.max": "0",
        "pids.max": str(allowance.processes),
    }


def _write(path: Path, value: str) -> None:
    """Not every kernel counts swap."""
    if path.exists() or "swap" not in path.name:
        path.write_text(value)
