"""Runs the way out of the instances' network."""

from cluster.egress.config import EgressConfig
from cluster.egress.driver import run as drive
from cluster.haproxy.process import end_all
from cluster.router.doorway import SIBLINGS
from setpoint.installation import Installation
from setpoint.settings import Settings


async def run(settings: Settings, installation: Installation, name: str) -> None:
    await drive(
        EgressConfig(
            data_dir=installation.folder("egress"),
            fabric=installation.folder("fabric"),
            siblings=installation.folder("router") / SIBLINGS,
            allow=settings.allow_egress,
            allow_builds=settings.allow_addresses,
            kubeconfig=installation.kubeconfig(name),
        )
    )


async def end(_settings: Settings, installation: Installation, _name: str) -> None:
    await end_all(installation.folder("egress"))
