"""The scheduler's part: watches, queue, leadership."""

import asyncio
import logging
from typing import Any

from cluster.scheduler.config import SchedulerConfig
from cluster.scheduler.errands import Errands
from cluster.scheduler.liveness import NODE_LEASE_PREFIX, Liveness, node_of
from cluster.scheduler.nodes import Nodes
from cluster.scheduler.view import View
from cluster.scheduler.workloads import Workloads
from crds.client.changes import spec_or_metadata
from crds.client.client import Client
from crds.client.errors import ApiError, NotFound
from crds.client.leadership import Leadership
from crds.client.lease import LeaseHolder
from crds.client.queue import WorkQueue
from crds.models.build import Build
from crds.models.computenode import ComputeNode
from crds.models.core import Lease
from crds.models.gitref import GitRef
from crds.models.instance import Instance
from crds.models.workload import Workload
from crds.names import SYSTEM_NAMESPACE

_log = logging.getLogger(__name__)
_LEASE = "scheduler"

Key = tuple[str, str, str]
"""(what, namespace, name): `workload`, `release` (an instance's finalizers), `gitref`, `builds` (of a namespace),
`node`."""


async def run(config: SchedulerConfig) -> None:
    """Schedule until cancelled. Nothing is done while another one holds the Lease."""
    client = await Client.open(config.kubeconfig, "setpoint-scheduler")
    try:
        await Scheduler(config, client).run()
    finally:
        await client.close()


class Scheduler:
    """Turns every change into keys, and works on them."""

    def __init__(self, config: SchedulerConfig, client: Client):
        self._config = config
        self._client = client
        self._view = View()
        self._queue: WorkQueue[Key] = WorkQueue(self._handle)
        self._liveness = Liveness(config.lost_after, self._still_silent, self._node_changed)
        self._workloads = Workloads(client, self._view, self._liveness)
        self._nodes = Nodes(client, self._view, self._liveness)
        self._errands = Errands(client, self._view, self._liveness)

    async def run(self) -> None:
        self._subscribe()
        reflectors = self._view.reflectors(self._client)
        try:
            async with asyncio.TaskGroup() as tasks:
                for reflector in reflectors:
                    tasks.create_task(reflector.run())
                for reflector in reflectors:
                    await reflector.synced.wait()
                lease = LeaseHolder(self._client, _LEASE, self._config.identity)
                await Leadership(lease, self._config.renew_every, self._liveness.start_over).work(self._lead)
        finally:
            self._liveness.close()

    def _subscribe(self) -> None:
        self._view.workloads.subscribe(self._workload_changed)
        self._view.instances.subscribe(self._instance_changed)
        self._view.nodes.subscribe(self._compute_node_changed)
        self._view.leases.subscribe(self._lease_changed)
        self._view.builds.subscribe(self._build_changed)
        self._view.gitrefs.subscribe(self._gitref_changed)

    async def _lead(self) -> None:
        self._look_at_everything()
        await self._queue.run()

    def _look_at_everything(self) -> None:
        keys = {
            "node": self._view.nodes.keys(),
            "workload": self._view.workloads.keys(),
            "gitref": self._view.gitrefs.keys(),
            "release": self._view.instances.keys(),
            "builds": {(namespace, "") for namespace, _ in self._view.builds.keys()},  # noqa: SIM118
        }
        for what, found in keys.items():
            for namespace, name in found:
                self._queue.add((what, namespace, name))

    async def _handle(self, key: Key) -> None:
        what, namespace, name = key
        if what == "workload":
            await self._workloads.reconcile(namespace, name)
        elif what == "release":
            await self._workloads.release(namespace, name)
        elif what == "node":
            await self._nodes.report(name)
        elif what == "gitref":
            await self._errands.assign_gitref(namespace, name)
        else:
            await self._errands.assign_build(namespace)

    def _workload_changed(self, old: Workload | None, new: Workload | None) -> None:
        # Its status is written here and nowhere else.
        if spec_or_metadata(old, new):
            self._queue.add(("workload", *_either(old, new).key))

    def _instance_changed(self, old: Instance | None, new: Instance | None) -> None:
        instance = _either(old, new)
        self._queue.add(("workload", instance.namespace, instance.spec.workload))
        if new is None:
            self._room_may_have_grown()
        elif new.deleting:
            self._queue.add(("release", *new.key))

    def _compute_node_changed(self, old: ComputeNode | None, new: ComputeNode | None) -> None:
        if old is None or new is None or _placing(old) != _placing(new):
            self._node_changed(_either(old, new).name)

    def _lease_changed(self, _old: Lease | None, new: Lease | None) -> None:
        node = node_of(new) if new is not None else None
        if new is not None and node is not None:
            self._liveness.seen(node, new)

    def _build_changed(self, old: Build | None, new: Build | None) -> None:
        self._queue.add(("builds", _either(old, new).namespace, ""))

    def _gitref_changed(self, _old: GitRef | None, new: GitRef | None) -> None:
        if new is not None:
            self._queue.add(("gitref", *new.key))

    def _node_changed(self, node: str) -> None:
        """It is back, lost, new, or offers something else. That is rare, so everything is looked at."""
        _log.info("node %s: %s", node, "alive" if self._liveness.alive(node) else "not alive")
        self._look_at_everything()

    def _room_may_have_grown(self) -> None:
        for namespace, name in self._workloads.waiting:
            self._queue.add(("workload", namespace, name))

    async def _still_silent(self, node: str) -> bool:
        """Ask the API server itself, in case it is our watch that hangs."""
        try:
            lease = await self._client.get(Lease, NODE_LEASE_PREFIX + node, SYSTEM_NAMESPACE)
        except NotFound:
            return True
        except ApiError:
            return False
        self._view.leases.upsert(lease)
        return True


def _either(old: Any, new: Any) -> Any:
    return new if new is not None else old


def _placing(node: ComputeNode) -> tuple[object, ...]:
    """What of a node matters for placing."""
    ready = [condition.status for condition in node.status.conditions if condition.type == "Ready"]
    return (node.spec, node.status.allocatable, ready, node.deleting)
