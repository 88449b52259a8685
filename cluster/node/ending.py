"""Ending a node's instances while no agent runs: when the whole installation is taken down, not when an agent is."""

import asyncio
from pathlib import Path

from cluster.limits.find import find_groups
from cluster.node.folder import Folders, InstanceFolder
from cluster.node.process import Process


async def end_instances(data_dir: Path, node: str, grace_seconds: float = 10.0) -> int:
    """SIGTERM to every instance of that node, SIGKILL after its own grace or this one, whichever is shorter; how many
    there were.

    What is on disk stays: the next agent starts them again."""
    state = data_dir / "nodes" / node
    if not state.is_dir():
        return 0
    running = [folder for folder, _ in Folders(state).all() if folder.alive()]
    await asyncio.gather(*(_end(folder, grace_seconds) for folder in running))
    find_groups(data_dir, node).close()
    return len(running)


async def _end(folder: InstanceFolder, grace_seconds: float) -> None:
    process, state = Process.adopt(folder), folder.read()
    if process:
        await process.stop(min(grace_seconds, state.grace_seconds) if state else 0)
