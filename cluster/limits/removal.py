"""Taking groups away when what ran in them has just ended: the kernel counts a process as there for a moment longer."""

import asyncio

from cluster.limits.group import Group

_ATTEMPTS = 50
_PAUSE_SECONDS = 0.02


async def remove_patiently(group: Group) -> None:
    """Returns when it is gone, or after a second: who sweeps later takes it then."""
    for _ in range(_ATTEMPTS):
        if group.remove():
            return
        await asyncio.sleep(_PAUSE_SECONDS)
