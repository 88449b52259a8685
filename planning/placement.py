"""On which nodes instances fit: by CPU, memory and count, spread over nodes first, then where it is emptiest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crds.sizes import MIB, Size


@dataclass(frozen=True)
class Room:
    """CPU in thousandths of a core (so that sums are exact), memory in bytes, instances as a count."""

    milli_cpu: int = 0
    memory_bytes: int = 0
    instances: int = 0

    def plus(self, other: "Room") -> "Room":
        return Room(
            self.milli_cpu + other.milli_cpu, self.memory_bytes + other.memory_bytes, self.instances + other.instances
        )

    def times(self, count: int) -> "Room":
        return Room(self.milli_cpu * count, self.memory_bytes * count, self.instances * count)


@dataclass(frozen=True)
class NodeRoom:
    """`offers.instances` 0: no limit on their count. `peers`: instances of the same workload that are there.
    `excluded`: why nothing may be placed there ("cordoned", "not ready"); empty when it may."""

    name: str
    offers: Room
    used: Room = Room()
    peers: int = 0
    excluded: str = ""

    @property
    def free(self) -> Room:
        """Never negative: an over-full node just has nothing free. Instances: a huge number without a limit."""
        count = self.offers.instances - self.used.instances if self.offers.instances else _NO_LIMIT
        return Room(
            max(0, self.offers.milli_cpu - self.used.milli_cpu),
            max(0, self.offers.memory_bytes - self.used.memory_bytes),
            max(0, count),
        )


@dataclass(frozen=True)
class Demand:
    """So many instances of one workload, each of this size; `already` as many of it have their place."""

    size: Size
    count: int
    already: int = 0


@dataclass(frozen=True)
class Placement:
    """`nodes`: one name for each instance that fits, in the order to start them; `shortfall`: a sentence about the
    rest, empty when all fit."""

    nodes: tuple[str, ...]
    shortfall: str = ""


_NO_LIMIT = 1_000_000


def room_of(size: Size) -> Room:
    """What one instance of this size takes."""
    return Room(round(size.cpu * 1000), size.memory_bytes, 1)


def place(demand: Demand, nodes: Sequence[NodeRoom]) -> Placement:
    """As many of the wanted instances as fit, spread evenly; deterministic for the same input in any order."""
    one = room_of(demand.size)
    open_nodes = {node.name: node for node in nodes if not node.excluded}
    chosen: list[str] = []
    while len(chosen) < demand.count:
        fitting = [node for node in open_nodes.values() if _fits(one, node.free)]
        if not fitting:
            return Placement(tuple(chosen), _shortfall(demand, len(chosen), list(open_nodes.values()), nodes))
        best = min(fitting, key=_preference)
        open_nodes[best.name] = replace(best, used=best.used.plus(one), peers=best.peers + 1)
        chosen.append(best.name)
    return Placement(tuple(chosen))


def _fits(one: Room, free: Room) -> bool:
    return one.milli_cpu <= free.milli_cpu and one.memory_bytes <= free.memory_bytes and one.instances <= free.instances


def _preference(node: NodeRoom) -> tuple[int, float, int, str]:
    """Fewest of the same workload, then the least used share, then the fewest instances, then the name."""
    cpu = node.used.milli_cpu / max(1, node.offers.milli_cpu)
    memory = node.used.memory_bytes / max(1, node.offers.memory_bytes)
    return (node.peers, max(cpu, memory), node.used.instances, node.name)


def _shortfall(demand: Demand, placed: int, open_nodes: Sequence[NodeRoom], nodes: Sequence[NodeRoom]) -> str:
    """What is missing, in a sentence that says what to do about it."""
    left = demand.count - placed
    total = demand.count + demand.already
    what = f"{left} of {total} instances do not fit" if total > 1 else "The instance does not fit"
    if not open_nodes:
        return f"{what}: {_why_none(nodes)}."
    need = room_of(demand.size).times(left)
    free = Room()
    for node in open_nodes:
        free = free.plus(node.free)
    needs = f"needs {_words(need)} more, the nodes have {_words(free)} free"
    if _fits(replace(need, instances=0), free):
        needs = f"needs {_words(room_of(demand.size))} on one node, no node has that much free"
        if all(node.free.instances == 0 for node in open_nodes):
            needs = "every node runs as many instances as it may"
    return f"{what}: {needs}. Use a smaller size, fewer instances, or add a node.{_idle(demand, open_nodes)}"


def _idle(demand: Demand, open_nodes: Sequence[NodeRoom]) -> str:
    """What helps besides where CPU alone is short (it is a share, not a cap)."""
    but_cpu = replace(room_of(demand.size), milli_cpu=0)
    if not any(_fits(but_cpu, node.free) for node in open_nodes):
        return ""
    return " Where instances mostly idle, nodes may promise more CPU than there is (--cpus)."


def _why_none(nodes: Sequence[NodeRoom]) -> str:
    if not nodes:
        return "there is no compute node; start one"
    reasons = sorted({f"{node.name} is {node.excluded}" for node in nodes})
    return "no compute node takes instances (" + ", ".join(reasons[:5]) + ")"


def _words(room: Room) -> str:
    return f"{room.milli_cpu / 1000:g} CPU and {room.memory_bytes // MIB} MiB"
