"""Runs the loop, and keeps the depth of its queue where `setpoint status` finds it."""

import dataclasses
import json
from pathlib import Path

import controller.operator
from controller.engine.context import Settings as LoopSettings
from crds.client.queue import Depth
from setpoint.child import take_signals
from setpoint.installation import Installation, write_file
from setpoint.settings import Settings


async def run(settings: Settings, installation: Installation, name: str) -> None:
    loop_settings = LoopSettings(
        base_domain=settings.base_domain,
        api_host="localhost",
        router_port=settings.router_port,
        git_interval_seconds=settings.git_interval,
    )
    config = controller.operator.ControllerConfig(
        kubeconfig=installation.kubeconfig(name),
        settings=loop_settings,
        identity=installation.identity(name),
        restore_signals=take_signals,
    )
    path = queue_file(installation)
    await controller.operator.run(config, lambda depth: _keep(path, depth))


def queue_file(installation: Installation) -> Path:
    return installation.run / "controller.queue.json"


def _keep(path: Path, depth: Depth) -> None:
    write_file(path, json.dumps(dataclasses.asdict(depth)))
