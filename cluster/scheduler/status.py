"""What a workload's status says of its instances: pure."""

from collections.abc import Collection, Sequence
from datetime import datetime

from crds.conditions import READY, SCHEDULABLE, with_condition
from crds.models.instance import Instance
from crds.models.workload import Trouble, Workload, WorkloadStatus

# The agent's word for: it crashed again and again before it was ever ready.
CRASH_LOOP = "CrashLoop"


def workload_status(
    workload: Workload, instances: Sequence[Instance], shortfall: str, lost: Collection[str], now: datetime
) -> WorkloadStatus:
    """`instances`: those of it that are to stay."""
    desired, generation = workload.spec.replicas, workload.metadata.generation
    ready = sum(1 for instance in instances if instance.status.ready)
    conditions = with_condition(
        workload.status.conditions,
        READY,
        "True" if ready >= desired else "False",
        reason="InstancesReady" if ready >= desired else "InstancesNotReady",
        message=f"{ready} of {desired} instances are ready",
        now=now,
        generation=generation,
    )
    conditions = with_condition(
        conditions,
        SCHEDULABLE,
        "False" if shortfall else "True",
        reason="NoRoom" if shortfall else "Placed",
        message=shortfall,
        now=now,
        generation=generation,
    )
    return WorkloadStatus(
        observed_generation=generation,
        conditions=conditions,
        desired=desired,
        scheduled=len(instances),
        running=sum(1 for instance in instances if instance.status.phase == "running"),
        ready=ready,
        trouble=trouble_of(instances, lost),
    )


def trouble_of(instances: Sequence[Instance], lost: Collection[str]) -> Trouble | None:
    """The worst that one of them has: what is final, then what keeps it from being ready, then what it is held back
    for; of the same by name."""
    found = [(instance.status.ready, trouble) for instance in instances if (trouble := _trouble(instance, lost))]
    worst = min(found, key=lambda each: (not each[1].final, each[0], each[1].instance), default=None)
    return worst[1] if worst else None


def _trouble(instance: Instance, lost: Collection[str]) -> Trouble | None:
    status, node = instance.status, instance.spec.node
    if node in lost:
        message = f"Node {node} has stopped reporting, and no other node can take the instance."
        return Trouble(reason="NodeLost", message=message, instance=instance.name, node=node)
    if not status.reason:
        return None
    return Trouble(
        reason=status.reason,
        message=(status.message or "")[:1000],
        instance=instance.name,
        node=node,
        final=status.reason == CRASH_LOOP,
    )
