"""Workload: the half of it that no runner has. The local runner's half is the scheduler and the node agents."""

from controller.engine.context import Context
from controller.engine.errors import Terminal
from controller.engine.reconciler import Reconciler
from crds.models.workload import Workload, WorkloadStatus


def has_no_runner(context: Context, workload: Workload) -> bool:
    """The runner writes the status of its own workloads; only one that no runner takes is left to the loop."""
    return workload.spec.runner != context.settings.runner


async def reconcile(context: Context, workload: Workload, _status: WorkloadStatus) -> None:
    raise Terminal(
        "NoRunner",
        f"Nothing here runs workloads of the runner {workload.spec.runner!r}: this installation has "
        f"{context.settings.runner!r}.",
    )


RECONCILER = Reconciler(Workload, reconcile, ours=has_no_runner)
