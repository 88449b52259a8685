"""What would give us control groups: deciding is pure, looking is beside it."""

import os
import shlex
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from cluster.limits.version2 import CONTROLLERS

_DELEGATE = (
    r"printf '[Service]\nDelegate=cpu memory pids\n' | "
    "sudo install -Dm644 /dev/stdin /etc/systemd/system/user@.service.d/setpoint.conf, and a reboot"
)
_UNIFIED = "a kernel started with systemd.unified_cgroup_hierarchy=1, then: "


@dataclass(frozen=True)
class Machine:
    """`controllers`: of version 2, on the whole machine; `of_user`: what its systemd was given for this user (None:
    there is none, or we are root); `of_root`: those of either version that root could divide; `program`: ours."""

    systemd: bool
    controllers: Collection[str]
    of_user: Collection[str] | None
    of_root: Collection[str] = ()
    program: str = "setpoint"


def remedy(machine: Machine, data_dir: Path) -> str:
    """The one line; empty: none is known."""
    program, folder = shlex.quote(machine.program), f"--data-dir {shlex.quote(str(data_dir))}"
    if not machine.systemd:
        return f"sudo {program} up {folder}" if _all_in(machine.of_root) else ""
    install = f"{program} service install {folder}"
    if not _all_in(machine.controllers):
        return _UNIFIED + install
    if machine.of_user is not None and not _all_in(machine.of_user):
        return f"{_DELEGATE}; then: {install}"
    return install


def _all_in(controllers: Collection[str]) -> bool:
    return set(CONTROLLERS) <= set(controllers)


def this_machine(
    tree: Path = Path("/sys/fs/cgroup"),
    systemd: Path = Path("/run/systemd/system"),
    mounts: Path = Path("/proc/self/mountinfo"),
) -> Machine:
    user = os.geteuid()
    all_of_2, of_user = _controllers(tree) or (), tree / "user.slice" / f"user-{user}.slice" / f"user@{user}.service"
    if user == 0:
        return Machine(systemd.is_dir(), all_of_2, None, program=_program())
    of_root = writable(mounts.read_text(), all_of_2)
    return Machine(systemd.is_dir(), all_of_2, _controllers(of_user), of_root, _program())


def _program() -> str:
    """Where it can be found by one whose PATH is another."""
    beside = Path(sys.executable).with_name("setpoint")
    return str(beside) if beside.is_file() else "setpoint"


def writable(mounts: str, of_version_2: Collection[str]) -> set[str]:
    """Controllers whose trees are mounted to be written to. `mounts`: as /proc/self/mountinfo; pure."""
    found: set[str] = set()
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        how, what = before.split(), after.split()
        if len(how) > 5 and len(what) > 2 and "rw" in how[5].split(","):
            found.update({"cgroup2": of_version_2, "cgroup": what[-1].split(",")}.get(what[0], ()))
    return found


def _controllers(group: Path) -> list[str] | None:
    try:
        return (group / "cgroup.controllers").read_text().split()
    except OSError:
        return None
