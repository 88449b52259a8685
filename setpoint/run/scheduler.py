"""Runs the scheduler."""

from cluster.scheduler.config import SchedulerConfig
from cluster.scheduler.scheduler import run as schedule
from setpoint.installation import Installation
from setpoint.settings import Settings


async def run(_settings: Settings, installation: Installation, name: str) -> None:
    await schedule(SchedulerConfig(kubeconfig=installation.kubeconfig(name), identity=installation.identity(name)))
