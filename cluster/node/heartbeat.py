"""What the node says of itself: its ComputeNode's status when something changed, its Lease every few seconds."""

import asyncio
import logging
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from cluster.node.config import NodeConfig
from cluster.node.reporter import persist
from cluster.sandbox.check import Walls
from cluster.sandbox.view import Machine
from crds.client.backoff import pause_after
from crds.client.client import Client
from crds.client.errors import AlreadyExists, ApiError, NotFound
from crds.client.lease import LeaseHolder
from crds.client.store import Store
from crds.conditions import READY, with_condition
from crds.models.computenode import ComputeNode
from crds.models.record import Condition, Metadata

_log = logging.getLogger(__name__)
_EVERY_SECONDS = 5.0
SANDBOX = "Sandbox"


async def say_what_it_is(client: Client, config: NodeConfig, walls: Walls, machine: Machine, endpoint: str) -> None:
    """Make the ComputeNode when there is none, and bring its status up to date."""
    record = await _record(client, config.name)
    status = node_status(record, config, walls, machine, endpoint)
    await persist(client, Store(ComputeNode), record, status)


async def _record(client: Client, name: str) -> ComputeNode:
    failures = 0
    while True:
        try:
            return await client.get(ComputeNode, name)
        except NotFound:
            try:
                return await client.create(ComputeNode(metadata=Metadata(name=name)))
            except AlreadyExists:
                continue
        except ApiError as error:
            failures += 1
            _log.info("node %s: %s", name, error)
            await asyncio.sleep(pause_after(failures))


def node_status(
    record: ComputeNode, config: NodeConfig, walls: Walls, machine: Machine, endpoint: str
) -> dict[str, Any]:
    """As it is on the wire."""
    resources = {"cpu": config.cpu, "memoryBytes": config.memory_bytes, "instances": config.instances}
    return {
        "phase": "ready" if walls.stand else "notReady",
        "capacity": resources,
        "allocatable": resources,
        "endpoint": endpoint,
        "sandbox": walls.sandbox,
        "network": "shared",
        "limits": "partial" if machine.prlimit else "none",
        "version": _version(),
        "observedGeneration": record.metadata.generation,
        "conditions": [condition.wire() for condition in _conditions(record, walls)],
    }


def _conditions(record: ComputeNode, walls: Walls) -> list[Condition]:
    now, generation = datetime.now(UTC), record.metadata.generation
    if walls.stand:
        found = with_condition(
            record.status.conditions, SANDBOX, "True", reason="Stands", now=now, generation=generation
        )
        return with_condition(found, READY, "True", reason="Running", now=now, generation=generation)
    remedy = f" Allow it with: {walls.remedy}" if walls.remedy else ""
    message = f"This machine refuses the sandbox ({walls.reason}).{remedy}"
    found = with_condition(
        record.status.conditions, SANDBOX, "False", reason="Refused", message=message, now=now, generation=generation
    )
    return with_condition(
        found, READY, "False", reason="SandboxRefused", message=message, now=now, generation=generation
    )


def _version() -> str:
    try:
        return version("setpoint")
    except PackageNotFoundError:
        return "0.1.0"


async def beat(client: Client, name: str) -> None:
    """Renew the node's Lease, for ever."""
    holder = LeaseHolder(client, f"node-{name}", name)
    while True:
        try:
            if not await holder.renew():
                _log.warning("the lease of node %s could not be renewed", name)
        except ApiError as error:
            _log.info("lease of node %s: %s", name, error)
        await asyncio.sleep(_EVERY_SECONDS)
