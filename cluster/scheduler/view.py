"""What the scheduler knows: the records it watches, and how much of each node is taken."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from crds.client.client import Client
from crds.client.reflector import Reflector
from crds.client.store import Store
from crds.conditions import READY, find
from crds.models.build import Build
from crds.models.computenode import ComputeNode
from crds.models.core import Lease
from crds.models.gitref import GitRef
from crds.models.instance import Instance
from crds.models.workload import Workload
from crds.names import SYSTEM_NAMESPACE
from crds.sizes import DEFAULT_SIZE, SIZES
from planning.placement import NodeRoom, Room, room_of


def _by_workload(instance: Instance) -> Iterable[str]:
    return [f"{instance.namespace}/{instance.spec.workload}"]


def _by_node(instance: Instance) -> Iterable[str]:
    return [instance.spec.node]


class View:
    """The stores, and the reflectors that fill them."""

    def __init__(self) -> None:
        self.workloads = Store(Workload)
        self.instances = Store(Instance, {"workload": _by_workload, "node": _by_node})
        self.nodes = Store(ComputeNode)
        self.leases = Store(Lease)
        self.builds = Store(Build)
        self.gitrefs = Store(GitRef)
        self.usage = Usage(self.instances)

    def reflectors(self, client: Client) -> list[Reflector]:  # type: ignore[type-arg]
        stores = (self.workloads, self.instances, self.nodes, self.builds, self.gitrefs)
        leases = Reflector(client, self.leases, namespace=SYSTEM_NAMESPACE)
        return [leases] + [Reflector(client, store) for store in stores]

    def instances_of(self, workload: Workload) -> list[Instance]:
        """The workload's own (not those of an earlier one of the same name)."""
        found = self.instances.indexed("workload", f"{workload.namespace}/{workload.name}")
        return [i for i in found if any(owner.uid == workload.uid for owner in i.metadata.owner_references)]

    def rooms(self, silent: Iterable[str]) -> list[NodeRoom]:
        """Each node with what is taken of it. `silent`: those that may not get anything since they are not alive."""
        unheard = set(silent)
        return [self._room(node, node.name in unheard) for node in self.nodes.list()]

    def _room(self, node: ComputeNode, silent: bool) -> NodeRoom:
        offers = node.status.allocatable
        return NodeRoom(
            name=node.name,
            offers=Room(round(offers.cpu * 1000), offers.memory_bytes, offers.instances),
            used=self.usage.of(node.name),
            excluded=_why_excluded(node, silent),
        )


def _why_excluded(node: ComputeNode, silent: bool) -> str:
    ready = find(node.status.conditions, READY)
    if silent or node.deleting or (ready is not None and ready.status == "False"):
        return "not ready"
    return "cordoned" if node.spec.cordoned or node.spec.drain else ""


class Usage:
    """What the instances on each node take, kept by the difference of each change; plus what is being placed now."""

    def __init__(self, instances: Store[Instance]):
        self._taken: dict[str, Counter[str]] = {}
        instances.subscribe(self._changed)

    def of(self, node: str) -> Room:
        sizes = self._taken.get(node, Counter())
        total = Room()
        for size, count in sizes.items():
            total = total.plus(room_of(SIZES.get(size, SIZES[DEFAULT_SIZE])).times(count))
        return total

    @contextmanager
    def reserved(self, instances: Iterable[Instance]) -> Iterator[None]:
        """Count them as there while they are being created."""
        held = [(instance.spec.node, instance.spec.size) for instance in instances]
        for node, size in held:
            self._count(node, size, 1)
        try:
            yield
        finally:
            for node, size in held:
                self._count(node, size, -1)

    def _changed(self, old: Instance | None, new: Instance | None) -> None:
        if old is not None:
            self._count(old.spec.node, old.spec.size, -1)
        if new is not None:
            self._count(new.spec.node, new.spec.size, 1)

    def _count(self, node: str, size: str, by: int) -> None:
        self._taken.setdefault(node, Counter())[size] += by
