"""An embedded API server with Setpoint's kinds, and what plays the node agents' side of the contract."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crds.client.client import Client
from crds.client.errors import Conflict, NotFound
from crds.client.lease import LeaseHolder
from crds.client.reflector import Reflector
from crds.client.store import Store
from crds.definition import definition
from crds.kinds import KINDS
from crds.models.computenode import ComputeNode
from crds.models.core import CustomResourceDefinition, Namespace
from crds.models.instance import Instance
from crds.models.record import Metadata
from crds.models.workload import Workload, WorkloadSpec
from crds.names import FINALIZER_NODE, FINALIZER_ROUTER, SYSTEM_NAMESPACE, labels_for
from crds.roles import IN_SYSTEM, ROLES
from crds.sizes import MIB
from tests.contract.apiserver.server import Server, kubeconfig, running
from tests.unit.cluster.eventually import eventually

NAMESPACE = "acc-main"


@contextmanager
def api_server(folder: Path) -> Iterator[Server]:
    with running(folder) as server:
        yield server


async def prepare(client: Client) -> None:
    for name in (SYSTEM_NAMESPACE, NAMESPACE):
        await client.apply(Namespace, {"metadata": {"name": name}}, force=True)
    await asyncio.gather(
        *(client.apply(CustomResourceDefinition, definition(kind.model), force=True) for kind in KINDS)
    )


def kubeconfig_of(server: Server, part: str) -> Path:
    """A kubeconfig with just the rights that the part has in an installation."""
    token = f"token-of-{part}"
    user = f"setpoint:{part}"
    server.grant(token, user, [], [rule.wire() for rule in ROLES[part]])
    server.bind({"kind": "User", "name": user}, [rule.wire() for rule in IN_SYSTEM[part]], SYSTEM_NAMESPACE)
    path = server.folder / f"{part}.yaml"
    path.write_text(json.dumps(kubeconfig(server.url, server.ca, token)))
    return path


@asynccontextmanager
async def background(run: Awaitable[Any]) -> AsyncIterator["asyncio.Task[Any]"]:
    """Runs until the block is left; what it raises ends the test."""
    task = asyncio.ensure_future(run)
    try:
        yield task
        if task.done() and not task.cancelled():
            task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def workload(name: str = "shop-1-web", replicas: int = 1, **spec: Any) -> Workload:
    values: dict[str, Any] = {
        "project": "shop",
        "deploy": "shop-1",
        "process": "web",
        "artifact": "sha256:" + "0" * 64,
        "command": "python app.py",
        "served": False,
        "replicas": replicas,
    }
    labels = labels_for("shop", "shop-1", "web", name)
    meta = Metadata(name=name, namespace=NAMESPACE, labels=labels)
    return Workload(metadata=meta, spec=WorkloadSpec(**(values | spec)))


@dataclass
class Agent:
    """Plays one node agent: a ComputeNode, a Lease, and instances that become ready as soon as they are seen."""

    client: Client
    name: str
    cpu: float = 2.0
    heartbeat: float = 0.2
    makes_ready: bool = True
    takes_off_router: bool = True
    store: Store[Instance] = field(default_factory=lambda: Store(Instance))

    async def run(self) -> None:
        """Until cancelled: then it is as dead as after a kill -9."""
        await self._register()
        changed = asyncio.Event()
        self.store.subscribe(lambda _old, _new: changed.set())
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._beat())
            tasks.create_task(Reflector(self.client, self.store).run())
            while True:
                await changed.wait()
                changed.clear()
                for instance in self.store.list():
                    if instance.spec.node == self.name:
                        await self._look_at(instance)

    async def _register(self) -> None:
        room = {"cpu": self.cpu, "memoryBytes": 8192 * MIB, "instances": 0}
        node = await self.client.apply(ComputeNode, {"metadata": {"name": self.name}, "spec": {}}, force=True)
        await self.client.patch_status(node, {"capacity": room, "allocatable": room})

    async def _beat(self) -> None:
        holder = LeaseHolder(self.client, f"node-{self.name}", self.name)
        while True:
            await holder.renew()
            await asyncio.sleep(self.heartbeat)

    async def _look_at(self, instance: Instance) -> None:
        try:
            if instance.deleting:
                await self._end(instance)
            elif not instance.status.ready and self.makes_ready:
                status = {"phase": "running", "ready": True}
                self.store.upsert(await self.client.patch_status(instance, status))
        except (Conflict, NotFound):
            return

    async def _end(self, instance: Instance) -> None:
        ours = {FINALIZER_NODE} | ({FINALIZER_ROUTER} if self.takes_off_router else set())
        for finalizer in ours & set(instance.metadata.finalizers):
            instance = await self.client.remove_finalizer(instance, finalizer)
            self.store.upsert(instance)


class Looking:
    """Records as the API server has them, watched."""

    def __init__(self, client: Client):
        self.client = client
        self.instances = Store(Instance)
        self.workloads = Store(Workload)

    async def run(self) -> None:
        await asyncio.gather(Reflector(self.client, self.instances).run(), Reflector(self.client, self.workloads).run())

    def of(self, name: str = "shop-1-web") -> list[Instance]:
        return [i for i in self.instances.list() if i.spec.workload == name and not i.deleting]

    def nodes_of(self, name: str = "shop-1-web") -> list[str]:
        return sorted(i.spec.node for i in self.of(name))

    def status(self, name: str = "shop-1-web") -> Any:
        record = self.workloads.get(NAMESPACE, name)
        return record.status if record else None

    def ready(self, count: int, name: str = "shop-1-web") -> Callable[[], bool]:
        def look() -> bool:
            status = self.status(name)
            return bool(status and (status.ready, status.desired) == (count, count) and len(self.of(name)) == count)

        return look

    async def know(self, nodes: int) -> None:
        """Until the scheduler places on so many nodes."""
        for number in range(200):
            name = f"probe-{number}"
            await self.client.create(workload(name, replicas=nodes))
            await eventually(lambda name=name: len(self.of(name)) == nodes)  # type: ignore[misc]
            spread = len(set(self.nodes_of(name))) == nodes
            await self.client.delete(Workload, name, NAMESPACE)
            await eventually(lambda name=name: not self.of(name))  # type: ignore[misc]
            if spread:
                return
        raise AssertionError(f"the scheduler does not use {nodes} nodes")
