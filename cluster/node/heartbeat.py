"""What the node says of itself: its ComputeNode's status when something changed, its Lease every few seconds."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from cluster.fabric.client import Description
from cluster.limits.group import Groups
from cluster.node.config import NodeConfig
from cluster.node.reporter import persist
from cluster.sandbox.check import Walls
from cluster.sandbox.confinement import ABI_OF_PORTS
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
SANDBOX, NETWORK, LIMITS = "Sandbox", "Network", "Limits"


@dataclass(frozen=True)
class Findings:
    """What the node found out about itself at its start. `endpoint`: where it answers. `separate_users`: each project
    runs as a user of its own, which only root can give."""

    walls: Walls
    machine: Machine
    network: Description
    groups: Groups
    endpoint: str
    separate_users: bool = False


async def say_what_it_is(client: Client, config: NodeConfig, found: Findings) -> None:
    """Make the ComputeNode when there is none, and bring its status up to date."""
    record = await _record(client, config.name)
    await persist(client, Store(ComputeNode), record, node_status(record, config, found))


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


def node_status(record: ComputeNode, config: NodeConfig, found: Findings) -> dict[str, Any]:
    """As it is on the wire."""
    # A machine's cores shared by three nodes are no number that anybody wants to read.
    capacity = {"cpu": round(config.cpu, 3), "memoryBytes": config.memory_bytes, "instances": config.instances}
    return {
        "phase": "ready" if found.walls.stand else "notReady",
        "capacity": capacity,
        "allocatable": {**capacity, "cpu": round(config.promised_cpu or config.cpu, 3)},
        "endpoint": found.endpoint,
        "sandbox": found.walls.sandbox,
        "network": found.network.network,
        "limits": _limits(found),
        "version": _version(),
        "observedGeneration": record.metadata.generation,
        "conditions": [condition.wire() for condition in _conditions(record, found)],
    }


def _conditions(record: ComputeNode, found: Findings) -> list[Condition]:
    walls, network, limits = found.walls, found.network, _limits(found)
    refused = f"This machine refuses the sandbox ({walls.reason}).{_with(walls.remedy)}"
    shared = f"Instances share this machine's network ({network.reason or 'as it was started'})."
    shared += f" {_ports(found.machine)}{_with(network.remedy)}"
    said = [
        (SANDBOX, walls.stand, "Stands", "Refused", _second_lines(found), refused),
        (NETWORK, network.network == "fabric", "Separate", "Shared", "", shared),
        (LIMITS, limits == "full", "Full", limits.capitalize(), "", _loose(limits, found.groups)),
        (READY, walls.stand, "Running", "SandboxRefused", "", refused),
    ]
    conditions = record.status.conditions
    for name, good, reason, trouble, praise, complaint in said:
        conditions = with_condition(
            conditions,
            name,
            "True" if good else "False",
            reason=reason if good else trouble,
            message=praise if good else complaint,
            now=datetime.now(UTC),
            generation=record.metadata.generation,
        )
    return conditions


def _second_lines(found: Findings) -> str:
    """What stands behind the sandbox."""
    version = found.machine.landlock
    user = "each project its own" if found.separate_users else "the platform's"
    return f"Landlock: {f'version {version}' if version else 'not here'}; user: {user}"


def _ports(machine: Machine) -> str:
    if machine.landlock >= ABI_OF_PORTS:
        return "Landlock keeps each to its own TCP port and the allowed ones."
    return "Nothing keeps them from the ports of others."


def _limits(found: Findings) -> str:
    """Without control groups only processes and files are counted by the kernel, and memory is looked at."""
    if found.groups.kind != "none":
        return "full"
    return "partial" if found.machine.prlimit else "none"


def _loose(limits: str, groups: Groups) -> str:
    counted = "Processes are counted" if limits == "partial" else "Processes are not counted"
    return (
        f"{counted}, memory is looked at every 2 s and CPU is not shared out: this node cannot make control "
        f"groups ({groups.reason or 'none were looked for'}).{_with(groups.remedy)}"
    )


def _with(remedy: str) -> str:
    return f" Allow it with: {remedy}" if remedy else ""


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
