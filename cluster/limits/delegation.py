"""The part of version 2's tree that is ours to divide: given to us by systemd (no root needed), or found by root.

A group that shares out controllers among its members holds no processes itself. So all that runs in the group that we
were started in (the whole platform, where systemd delegates one) moves into a leaf of it, once, whichever agent comes
first."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from cluster.limits.allowance import Allowance
from cluster.limits.names import prefix_of
from cluster.limits.version2 import CONTROLLERS, Version2Groups

# The same for all installations in one group: each must know the leaf when it is started in there.
PLATFORM = "setpoint-platform"
_TRIES = 100
_PLATFORM_WEIGHT = "10000"
"""The most there is."""


class Unavailable(Exception):
    """None of these groups are ours; the message says why."""


def find_version2(
    installation: str, node: str, proc: Path = Path("/proc/self"), controllers: Iterable[str] = CONTROLLERS
) -> Version2Groups:
    """Below the group that this process is in, or, for root, below that of all. Raises Unavailable."""
    tree, own = _own_group(proc)
    base = own.parent if own.name == PLATFORM else own
    prefix = prefix_of(installation, node)
    try:
        return _tried(base, prefix, controllers, _make_room_and_enable)
    except Unavailable:
        if os.geteuid() != 0 or base == tree:
            raise
        # Here nobody is moved: it is not our group, and members of the tree's own root may stay in it.
        with contextlib.suppress(Unavailable):
            return _tried(tree, prefix, controllers, _enable)
        raise


def _own_group(proc: Path) -> tuple[Path, Path]:
    """Where the tree is, and the group in it that this process is in."""
    places = [line[3:] for line in (proc / "cgroup").read_text().splitlines() if line.startswith("0::")]
    for line in (proc / "mountinfo").read_text().splitlines() if places else []:
        before, _, after = line.partition(" - ")
        if after.split()[:1] == ["cgroup2"]:
            root, point = before.split()[3:5]
            place = PurePosixPath(places[0])
            if place.is_relative_to(root) and ".." not in place.parts:
                return Path(point), Path(point) / place.relative_to(root)
    raise Unavailable("none of version 2 can be seen")


def _tried(
    base: Path, prefix: str, controllers: Iterable[str], enable: Callable[[Path, Iterable[str]], None]
) -> Version2Groups:
    """Tried, not guessed: a container's tree may be there to look at only. Raises Unavailable."""
    try:
        missing = sorted(set(controllers) - set((base / "cgroup.controllers").read_text().split()))
        if missing:
            raise Unavailable(f"the one that it runs in lacks {', '.join(missing)}")
        if not os.access(base / "cgroup.procs", os.W_OK):
            raise Unavailable("the one that it runs in belongs to somebody else")
        enable(base, controllers)
        return _made(base, prefix, controllers)
    except OSError as error:
        raise Unavailable(f"the one that it runs in cannot be divided: {error.strerror}") from error


def _made(base: Path, prefix: str, controllers: Iterable[str]) -> Version2Groups:
    groups = Version2Groups(base, prefix, controllers)
    trial = groups.of("trial")
    try:
        groups.make("trial", Allowance(1, 1, 64 << 20, 10))
    finally:
        trial.remove()
    return groups


def _enable(group: Path, controllers: Iterable[str]) -> None:
    """For the members of this group."""
    (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in controllers))


def _make_room_and_enable(group: Path, controllers: Iterable[str]) -> None:
    """One agent at a time: what one has put into its instance's group, another that saw it here would fetch back."""
    lock = os.open(group, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _try_to_enable(group, controllers)
        _prefer_platform(group / PLATFORM)
    finally:
        os.close(lock)


def _prefer_platform(leaf: Path) -> None:
    """All parts are one group among those of all instances, each of which has as much to say otherwise."""
    weight = leaf / "cpu.weight"
    if weight.exists():
        weight.write_text(_PLATFORM_WEIGHT)


def _try_to_enable(group: Path, controllers: Iterable[str]) -> None:
    """Again when a process was born meanwhile."""
    for _ in range(_TRIES):
        try:
            _enable(group, controllers)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
        else:
            return
        _make_room(group)
    raise OSError(errno.EBUSY, "processes that cannot be moved are in it")


def _make_room(group: Path) -> None:
    leaf = group / PLATFORM
    leaf.mkdir(exist_ok=True)
    for pid in (group / "cgroup.procs").read_text().split():
        # 0 is a process that is outside of our view, and would mean ourselves.
        if pid != "0":
            with contextlib.suppress(ProcessLookupError):
                (leaf / "cgroup.procs").write_text(pid)
