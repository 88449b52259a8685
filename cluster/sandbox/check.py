"""Which walls stand on this machine: tried, not guessed."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.processes import wait_end
from cluster.sandbox.view import Machine, View

_SYSCTLS = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
)


@dataclass(frozen=True)
class Walls:
    """`sandbox` is `bubblewrap` or `refused`; `remedy` is the one line that allows it (empty: none needed or known)."""

    sandbox: str
    reason: str = ""
    remedy: str = ""

    @property
    def stand(self) -> bool:
        return self.sandbox == "bubblewrap"


async def find_walls(machine: Machine) -> Walls:
    """Starts a sandbox with every wall and looks whether it runs."""
    reading, writing = os.pipe()
    try:
        pid = spawn(View(), ["/bin/true"], machine, Channels(stdout=writing, stderr=writing))
        os.close(writing)
        writing = -1
        code = await asyncio.wait_for(wait_end(pid), 10)
        said = os.read(reading, 4000).decode(errors="replace").strip()
    finally:
        for descriptor in (reading, writing):
            if descriptor >= 0:
                os.close(descriptor)
    if code == 0:
        return Walls("bubblewrap")
    return Walls("refused", said or f"bubblewrap ended with {code}", _remedy())


def _remedy() -> str:
    for path, bad, setting in _SYSCTLS:
        try:
            if Path(path).read_text().strip() == bad:
                return f"sudo sysctl -w {setting}"
        except OSError:
            continue
    return ""
