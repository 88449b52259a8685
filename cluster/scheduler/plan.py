"""What is to be done for one workload: pure, from what is there to what is to be created and deleted."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from crds.models.instance import Instance, InstanceSpec
from crds.models.record import Metadata
from crds.models.workload import Workload
from crds.names import FINALIZER_NODE, FINALIZER_ROUTER, LABEL_NODE
from crds.sizes import SIZES
from planning.placement import Demand, NodeRoom, Placement, place

LOST = "lost"
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class Facts:
    """`instances`: the workload's own, without those whose deletion was asked for. `names`: every instance name in
    the namespace that is taken. `lost`, `leaving`: nodes that are silent, nodes that are to be emptied."""

    workload: Workload
    instances: Sequence[Instance]
    names: Collection[str]
    nodes: Sequence[NodeRoom]
    lost: Collection[str] = ()
    leaving: Collection[str] = ()


@dataclass(frozen=True)
class Steps:
    """`replaced`: instances of a lost node that others stand in for now."""

    create: tuple[Instance, ...] = ()
    delete: tuple[Instance, ...] = ()
    replaced: tuple[Instance, ...] = ()
    shortfall: str = ""


def plan(facts: Facts) -> Steps:
    """New ones come first: an old one (other size, lost or leaving node) goes when enough others stand in for it."""
    wanted = facts.workload.spec.replicas
    right, old, stranded = _sorted_out(facts)
    placement = _place(facts, right, max(0, wanted - len(right)))
    create = _new_instances(facts, placement.nodes)
    ready = sum(1 for instance in right if instance.status.ready)
    surplus = _first_to_go(right)[: max(0, len(right) - wanted)]
    keep_old = max(0, wanted - ready)
    keep_stranded = max(0, wanted - len(right) - len(create))
    missing = keep_stranded - len(stranded)
    return Steps(
        create=create,
        delete=tuple(surplus + _all_but(old, keep_old)),
        replaced=tuple(_all_but(stranded, keep_stranded)),
        shortfall=placement.shortfall if missing > 0 else "",
    )


def _sorted_out(facts: Facts) -> tuple[list[Instance], list[Instance], list[Instance]]:
    """(as wanted, to be exchanged when others are ready, on a node that is lost)"""
    right: list[Instance] = []
    old: list[Instance] = []
    stranded: list[Instance] = []
    for instance in facts.instances:
        if instance.spec.node in facts.lost or instance.status.phase == LOST:
            stranded.append(instance)
        elif instance.spec.size != facts.workload.spec.size or instance.spec.node in facts.leaving:
            old.append(instance)
        else:
            right.append(instance)
    return right, old, stranded


def _place(facts: Facts, right: Sequence[Instance], count: int) -> Placement:
    """The peers that count for spreading are those that stay."""
    if count == 0:
        return Placement(())
    there = [instance.spec.node for instance in right]
    nodes = [replace(node, peers=there.count(node.name)) for node in facts.nodes]
    return place(Demand(SIZES[facts.workload.spec.size], count, already=len(right)), nodes)


def _first_to_go(instances: Iterable[Instance]) -> list[Instance]:
    """Not-ready ones first, then the newest."""

    def preference(instance: Instance) -> tuple[bool, float, str]:
        made = instance.metadata.creation_timestamp or _EPOCH
        return (instance.status.ready, -made.timestamp(), instance.name)

    return sorted(instances, key=preference)


def _all_but(instances: Sequence[Instance], keep: int) -> list[Instance]:
    return _first_to_go(instances)[: max(0, len(instances) - keep)]


def _new_instances(facts: Facts, nodes: Sequence[str]) -> tuple[Instance, ...]:
    taken, made = set(facts.names), []
    number = 1
    for node in nodes:
        while (name := f"{facts.workload.name}-{number}") in taken:
            number += 1
        taken.add(name)
        made.append(_instance(facts.workload, name, node))
    return tuple(made)


def _instance(workload: Workload, name: str, node: str) -> Instance:
    finalizers = [FINALIZER_NODE] + ([FINALIZER_ROUTER] if workload.spec.served else [])
    return Instance(
        metadata=Metadata(
            name=name,
            namespace=workload.namespace,
            labels={**workload.metadata.labels, LABEL_NODE: node},
            finalizers=finalizers,
            owner_references=[workload.owner_reference()],
        ),
        spec=InstanceSpec(workload=workload.name, node=node, size=workload.spec.size),
    )
