"""Which walls stand on this machine: tried, not guessed."""

import asyncio
import os
from dataclasses import dataclass

from cluster.fabric.namespaces import remedy
from cluster.sandbox.cell import OPEN, Cell
from cluster.sandbox.identity import uid_of
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.processes import wait_end
from cluster.sandbox.view import Machine, View


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
    return await _tried(machine, OPEN)


async def find_separate_users(machine: Machine) -> bool:
    """Can each project run as a user of its own?"""
    if os.geteuid() != 0 or machine.setpriv is None:
        return False
    return (await _tried(machine, Cell(uid=uid_of("trial", "trial", "trial")))).stand


async def _tried(machine: Machine, cell: Cell) -> Walls:
    reading, writing = os.pipe()
    try:
        pid = spawn(View(), ["/bin/true"], machine, Channels(stdout=writing, stderr=writing), cell)
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
    return Walls("refused", said or f"bubblewrap ended with {code}", remedy())
