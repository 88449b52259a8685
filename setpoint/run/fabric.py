"""Runs the keeper of the instances' network."""

from cluster.fabric.keeper import refusing, serve
from cluster.fabric.keeper import run as keep
from setpoint.installation import Installation
from setpoint.settings import Settings


async def run(settings: Settings, installation: Installation, _name: str) -> None:
    folder = installation.folder("fabric")
    if settings.network == "shared":
        await serve(folder, refusing("it was started with --network shared", ""))
    else:
        await keep(folder)
