"""Runs the keeper of the instances' network."""

from cluster.fabric.keeper import run as keep
from setpoint.installation import Installation
from setpoint.settings import Settings


async def run(_settings: Settings, installation: Installation, _name: str) -> None:
    await keep(installation.folder("fabric"))
