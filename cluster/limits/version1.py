"""Control groups of version 1: a tree of its own for each controller, ours to change as root only."""

import contextlib
import errno
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cluster.limits.allowance import Allowance
from cluster.limits.group import Sessions
from cluster.limits.idle import end_idle, set_idle
from cluster.limits.names import others, prefix_of

_CONTROLLERS = ("cpu", "memory", "pids")
_PERIOD_MICROSECONDS = 100_000
# A tenth of a core, the smallest size, weighs as much as any process of the platform, beside which it stands.
_SHARES_OF_A_CORE = 10_240
_LEAST_SHARES = 2
_SHARES = "cpu.shares"
_SPARE = re.compile(r"^total_inactive_file (\d+)$", re.MULTILINE)
_KILLED = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Version1Group:
    """One folder in each controller's tree."""

    folders: Mapping[str, Path]

    def join(self, pid: int) -> None:
        for folder in self.folders.values():
            (folder / "cgroup.procs").write_text(str(pid))

    def ran_out(self) -> bool:
        try:
            found = _KILLED.search((self.folders["memory"] / "memory.oom_control").read_text())
        except OSError:
            return False
        return found is not None and int(found[1]) > 0

    def give_way(self, _sessions: Sessions, /) -> bool:
        return set_idle(self.folders["cpu"])

    def take_part(self, allowance: Allowance, _sessions: Sessions, /) -> None:
        end_idle(self.folders["cpu"])
        with contextlib.suppress(FileNotFoundError):
            _write(self.folders["cpu"] / _SHARES, _values(allowance)[_SHARES])

    def scattered(self, _sessions: Sessions, /) -> bool:
        return False

    def memory_bytes(self) -> int | None:
        folder = self.folders["memory"]
        try:
            used = int((folder / "memory.usage_in_bytes").read_text())
            spare = _SPARE.search((folder / "memory.stat").read_text())
        except (OSError, ValueError):
            return None
        return max(0, used - int(spare[1])) if spare else used

    def remove(self) -> bool:
        for folder in self.folders.values():
            with contextlib.suppress(OSError):
                folder.rmdir()
        return not any(folder.exists() for folder in self.folders.values())


class Version1Groups:
    """`roots`: the group of each tree that ours stand in, beside whatever else there is; `prefix`: what the names of
    this node's begin with."""

    kind = "cgroup1"
    reason = ""
    remedy = ""

    def __init__(self, roots: Mapping[str, Path], prefix: str):
        self._roots = roots
        self._prefix = prefix

    def make(self, name: str, allowance: Allowance) -> Version1Group:
        group = self.of(name)
        for folder in group.folders.values():
            folder.mkdir(exist_ok=True)
        end_idle(group.folders["cpu"])
        for file, value in _values(allowance).items():
            _write(group.folders[file.partition(".")[0]] / file, value)
        return group

    def of(self, name: str) -> Version1Group:
        return Version1Group({controller: root / f"{self._prefix}{name}" for controller, root in self._roots.items()})

    def sweep(self, kept: Iterable[str]) -> None:
        for root in self._roots.values():
            for folder in others(root, self._prefix, kept):
                with contextlib.suppress(OSError):
                    folder.rmdir()

    def close(self) -> None:
        self.sweep([])


def _values(allowance: Allowance) -> dict[str, int]:
    return {
        _SHARES: max(_LEAST_SHARES, round(_SHARES_OF_A_CORE * allowance.cpu)),
        "cpu.cfs_period_us": _PERIOD_MICROSECONDS,
        "cpu.cfs_quota_us": round(_PERIOD_MICROSECONDS * allowance.most_cpu),
        "memory.limit_in_bytes": allowance.memory_bytes,
        # Swapping would let a hog slow everybody down instead of ending it.
        "memory.memsw.limit_in_bytes": allowance.memory_bytes,
        "pids.max": allowance.processes,
    }


def _write(path: Path, value: int) -> None:
    """Not every kernel counts swap."""
    if path.exists() or "memsw" not in path.name:
        path.write_text(str(value))


def find_version1(installation: str, node: str, proc: Path = Path("/proc/self")) -> Version1Groups | None:
    """Below the groups that this process is in; None: not all controllers are there, or they are not ours."""
    mounts, places = _mounts(proc), _places(proc)
    try:
        roots = {controller: mounts[controller] / places[controller].lstrip("/") for controller in _CONTROLLERS}
        groups = Version1Groups(roots, prefix_of(installation, node))
        # Tried, not guessed: a container's tree may be there to look at only.
        groups.make("trial", Allowance(1, 1, 64 << 20, 10)).remove()
    except KeyError:
        return None
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT):
            return None
        raise
    return groups


def _mounts(proc: Path) -> dict[str, Path]:
    """Where each controller's tree is."""
    found: dict[str, Path] = {}
    for line in (proc / "mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        words = after.split()
        if words[:1] == ["cgroup"]:
            found |= dict.fromkeys(words[2].split(","), Path(before.split()[4]))
    return found


def _places(proc: Path) -> dict[str, str]:
    """In which group of each tree the process is."""
    found: dict[str, str] = {}
    for line in (proc / "cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        found |= dict.fromkeys(controllers.split(","), path)
    return found
