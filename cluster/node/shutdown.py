"""The clean stop of a whole installation: what runs here ends too, and starts anew with the next agent."""

import asyncio

from cluster.node.config import NodeConfig
from cluster.node.folder import Folders, InstanceFolder
from cluster.node.process import Process


async def end_instances(config: NodeConfig) -> None:
    """End every instance of this node, politely first. The records stay as they are: they say what is wanted."""
    folders = [folder for folder, _state in Folders(config.state).all()]
    await asyncio.gather(*(_end(folder) for folder in folders))


async def _end(folder: InstanceFolder) -> None:
    process, state = Process.adopt(folder), folder.read()
    if process is not None:
        await process.stop(state.grace_seconds if state else 0)
    folder.remove()
