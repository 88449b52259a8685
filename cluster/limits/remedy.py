"""What would give us control groups: deciding is pure, looking is beside it."""

import os
import shlex
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
    there is none, or we are root)."""

    systemd: bool
    controllers: Collection[str]
    of_user: Collection[str] | None


def remedy(machine: Machine, data_dir: Path) -> str:
    """The one line; empty: none is known."""
    if not machine.systemd:
        return ""
    install = f"setpoint service install --data-dir {shlex.quote(str(data_dir))}"
    if not _all_in(machine.controllers):
        return _UNIFIED + install
    if machine.of_user is not None and not _all_in(machine.of_user):
        return f"{_DELEGATE}; then: {install}"
    return install


def _all_in(controllers: Collection[str]) -> bool:
    return set(CONTROLLERS) <= set(controllers)


def this_machine(tree: Path = Path("/sys/fs/cgroup"), systemd: Path = Path("/run/systemd/system")) -> Machine:
    user = os.geteuid()
    of_user = tree / "user.slice" / f"user-{user}.slice" / f"user@{user}.service"
    return Machine(systemd.is_dir(), _controllers(tree) or (), None if user == 0 else _controllers(of_user))


def _controllers(group: Path) -> list[str] | None:
    try:
        return (group / "cgroup.controllers").read_text().split()
    except OSError:
        return None
