"""Brings a workload's instances to what is wanted, and says on the workload how they fare."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from datetime import UTC, datetime

from cluster.scheduler.liveness import Liveness
from cluster.scheduler.plan import LOST, Facts, Steps, plan
from cluster.scheduler.status import workload_status
from cluster.scheduler.view import View
from crds.client.client import Client
from crds.client.errors import AlreadyExists, Conflict, NotFound
from crds.merge import merge_patch
from crds.models.instance import Instance
from crds.models.workload import Workload
from crds.names import FINALIZER_NODE, FINALIZER_ROUTER


class Workloads:
    """`waiting`: keys of workloads that found no room, to be looked at again when there may be some."""

    def __init__(self, client: Client, view: View, liveness: Liveness, now: Callable[[], datetime] | None = None):
        self._client = client
        self._view = view
        self._liveness = liveness
        self._now = now or (lambda: datetime.now(UTC))
        # Instances whose deletion was asked for and not yet seen: a second look must not pick others instead.
        self._doomed: set[str] = set()
        self.waiting: set[tuple[str, str]] = set()
        view.instances.subscribe(self._instance_changed)

    async def reconcile(self, namespace: str, name: str) -> None:
        workload = self._view.workloads.get(namespace, name)
        self.waiting.discard((namespace, name))
        if workload is None or workload.deleting or workload.spec.runner != "local":
            return
        facts = self._facts(workload)
        steps = plan(facts)
        if steps.shortfall:
            self.waiting.add(workload.key)
        await self._carry_out(steps)
        await self._report(workload, steps.shortfall)

    async def release(self, namespace: str, name: str) -> None:
        """An instance that is to go, on a node that is lost: nobody else will take the finalizers off."""
        instance = self._view.instances.get(namespace, name)
        if instance is None or not instance.deleting or not self._liveness.lost(instance.spec.node):
            return
        left = [f for f in instance.metadata.finalizers if f not in (FINALIZER_NODE, FINALIZER_ROUTER)]
        if left == instance.metadata.finalizers:
            return
        version = instance.metadata.resource_version
        patch = {"metadata": {"resourceVersion": version, "finalizers": left or None}}
        try:
            self._view.instances.upsert(await self._client.patch(Instance, name, namespace, patch))
        except NotFound:
            return

    def _staying(self, workload: Workload) -> list[Instance]:
        return [i for i in self._view.instances_of(workload) if not i.deleting and i.uid not in self._doomed]

    def _facts(self, workload: Workload) -> Facts:
        nodes = self._view.nodes.list()
        everyone = self._view.instances.indexed("workload", f"{workload.namespace}/{workload.name}")
        staying = self._staying(workload)
        on = {node.name for node in nodes} | {instance.spec.node for instance in staying}
        return Facts(
            workload=workload,
            instances=staying,
            names=[instance.name for instance in everyone],
            nodes=self._view.rooms(name for name in on if not self._liveness.alive(name)),
            lost={name for name in on if self._liveness.lost(name)},
            leaving={node.name for node in nodes if node.spec.drain},
        )

    async def _carry_out(self, steps: Steps) -> None:
        if not (steps.create or steps.replaced or steps.delete):
            return
        with self._view.usage.reserved(steps.create):
            await _all(self._create(instance) for instance in steps.create)
        await _all(self._mark_lost(instance) for instance in steps.replaced)
        await _all(self._delete(instance) for instance in (*steps.delete, *steps.replaced))

    async def _create(self, instance: Instance) -> None:
        try:
            made = await self._client.create(instance)
        except AlreadyExists:
            made = await self._client.get(Instance, instance.name, instance.namespace)
            self._view.instances.upsert(made)
            raise
        self._view.instances.upsert(made)

    async def _mark_lost(self, instance: Instance) -> None:
        if instance.status.phase == LOST:
            return
        message = f"Node {instance.spec.node} has stopped reporting; the instance was replaced."
        status = {"phase": LOST, "ready": False, "reason": "NodeLost", "message": message}
        try:
            self._view.instances.upsert(await self._client.patch_status(instance, status))
        except NotFound:
            return

    async def _delete(self, instance: Instance) -> None:
        self._doomed.add(instance.uid)
        try:
            await self._client.delete(Instance, instance.name, instance.namespace, uid=instance.uid)
        except (NotFound, Conflict):
            return
        except BaseException:
            self._doomed.discard(instance.uid)
            raise

    def _instance_changed(self, old: Instance | None, new: Instance | None) -> None:
        if old is not None and (new is None or new.deleting or new.uid != old.uid):
            self._doomed.discard(old.uid)

    async def _report(self, workload: Workload, shortfall: str) -> None:
        staying = self._staying(workload)
        lost = {i.spec.node for i in staying if self._liveness.lost(i.spec.node)}
        current = self._view.workloads.get(*workload.key)
        if current is None or current.uid != workload.uid:
            return
        status = workload_status(current, staying, shortfall, lost, self._now())
        patch = merge_patch(current.status.wire(), status.wire())
        if patch:
            self._view.workloads.upsert(await self._client.patch_status(current, patch))


async def _all(steps: Iterable[Coroutine[None, None, None]]) -> None:
    """Side by side; every one is tried, then the first error is raised."""
    answers = await asyncio.gather(*steps, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
