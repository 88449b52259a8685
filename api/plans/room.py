"""Whether instances fit on the nodes, by the same rule that the scheduler places them."""

from collections.abc import Iterable, Sequence

from api.views.common import truth
from api.views.plan import ProcessView, ResourcesView
from crds.conditions import READY
from crds.models.computenode import ComputeNode
from crds.models.instance import Instance
from crds.sizes import SIZES
from planning.placement import Demand, NodeRoom, Room, place, room_of


def rooms(nodes: Iterable[ComputeNode], instances: Iterable[Instance]) -> list[NodeRoom]:
    """Each node with what its instances take of it."""
    used: dict[str, Room] = {}
    for instance in instances:
        taken = used.get(instance.spec.node, Room())
        used[instance.spec.node] = taken.plus(room_of(SIZES[instance.spec.size]))
    return [_room(node, used.get(node.name, Room())) for node in nodes]


def _room(node: ComputeNode, used: Room) -> NodeRoom:
    offers = node.status.allocatable
    excluded = "cordoned" if node.spec.cordoned or node.spec.drain else ""
    if node.deleting or truth(node.status.conditions, READY) is False:
        excluded = "not ready"
    total = Room(round(offers.cpu * 1000), offers.memory_bytes, offers.instances)
    return NodeRoom(name=node.name, offers=total, used=used, excluded=excluded)


def resources(processes: Sequence[ProcessView], nodes: list[NodeRoom]) -> tuple[ResourcesView, list[str]]:
    """What all processes need together, where they would go, and what is missing (a sentence each)."""
    chosen: set[str] = set()
    shortfalls: list[str] = []
    for process in processes:
        size = SIZES[process.size]
        placement = place(Demand(size, process.instances), nodes)
        chosen.update(placement.nodes)
        if placement.shortfall:
            shortfalls.append(f"{process.name}: {placement.shortfall}")
        nodes = [_with(node, room_of(size).times(placement.nodes.count(node.name))) for node in nodes]
    view = ResourcesView(
        cpu=round(sum(SIZES[p.size].cpu * p.instances for p in processes), 3),
        memory_bytes=sum(SIZES[p.size].memory_bytes * p.instances for p in processes),
        instances=sum(p.instances for p in processes),
        fits=not shortfalls,
        node=", ".join(sorted(chosen)) or None if not shortfalls else None,
    )
    return view, shortfalls


def _with(node: NodeRoom, more: Room) -> NodeRoom:
    return NodeRoom(node.name, node.offers, node.used.plus(more), node.peers, node.excluded)
