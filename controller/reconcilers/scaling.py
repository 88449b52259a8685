"""Scaling: hands count and size to the workloads of its process, and reports what became of it."""

from collections.abc import Iterable

from controller.engine.context import Context
from controller.engine.errors import NotYet
from controller.engine.reconciler import Reconciler, Watch
from crds.client.changes import appeared_or_gone, spec_or_metadata
from crds.conditions import READY, SCHEDULABLE, find, with_condition
from crds.models.deploy import Deploy
from crds.models.project import Project
from crds.models.record import Record
from crds.models.route import Route
from crds.models.scaling import Decision, Scaling, ScalingStatus
from crds.models.workload import Workload
from crds.names import LABEL_PROCESS, LABEL_PROJECT, LABEL_WORKLOAD, label, labels_for
from planning.release.view import is_active


async def reconcile(context: Context, scaling: Scaling, status: ScalingStatus) -> None:
    project = context.cache.get(Project, scaling.namespace, scaling.spec.project)
    if project is None:
        message = f"There is no project {scaling.spec.project} in this account yet."
        raise NotYet("ProjectNotFound", message, again_in=600)
    await _adopt(context, scaling, project)
    current = await _hand_on(context, scaling)
    _decide(context, scaling, status)
    _report(context, scaling, status, current)


async def _adopt(context: Context, scaling: Scaling, project: Project) -> None:
    """It goes with its project, whoever wrote it."""
    if any(owner.uid == project.uid for owner in scaling.metadata.owner_references):
        return
    labels = labels_for(project.name, process=scaling.spec.process)
    await context.patch(
        scaling, {"metadata": {"labels": labels, "ownerReferences": [project.owner_reference().wire()]}}
    )


async def _hand_on(context: Context, scaling: Scaling) -> Workload | None:
    """Workloads that serve, or are about to, get the numbers; those that drain are left alone."""
    route = context.cache.get(Route, scaling.namespace, scaling.spec.project)
    serving = route.spec.deploy if route else ""
    current: Workload | None = None
    for workload in _workloads(context, scaling):
        deploy = context.cache.get(Deploy, workload.namespace, workload.spec.deploy)
        if workload.deleting or not (workload.spec.deploy == serving or (deploy and is_active(deploy))):
            continue
        spec = {"replicas": scaling.spec.instances, "size": scaling.spec.size}
        if (workload.spec.replicas, workload.spec.size) != (scaling.spec.instances, scaling.spec.size):
            workload = await context.patch(workload, {"spec": spec})
        if workload.spec.deploy == serving or current is None:
            current = workload
    return current


def _workloads(context: Context, scaling: Scaling) -> list[Workload]:
    found = context.cache.of_project(Workload, scaling.namespace, scaling.spec.project)
    return [workload for workload in found if workload.spec.process == scaling.spec.process]


def _decide(context: Context, scaling: Scaling, status: ScalingStatus) -> None:
    if status.last is None or status.last.instances != scaling.spec.instances:
        status.last = Decision(at=context.now(), instances=scaling.spec.instances, reason="spec")


def _report(context: Context, scaling: Scaling, status: ScalingStatus, workload: Workload | None) -> None:
    status.desired = scaling.spec.instances
    status.ready = workload.status.ready if workload else 0
    status.selector = (
        f"{LABEL_WORKLOAD}={workload.name}"
        if workload
        else f"{LABEL_PROJECT}={scaling.spec.project},{LABEL_PROCESS}={scaling.spec.process}"
    )
    now, generation = context.now(), scaling.metadata.generation
    enough = workload is None or status.ready >= status.desired
    reason = "NotReleased" if workload is None else ("Scaled" if enough else "Scaling")
    status.conditions = with_condition(
        status.conditions, READY, "True" if enough else "False", reason=reason, now=now, generation=generation
    )
    schedulable = find(workload.status.conditions, SCHEDULABLE) if workload else None
    status.conditions = with_condition(
        status.conditions,
        SCHEDULABLE,
        schedulable.status if schedulable else "True",
        reason=schedulable.reason if schedulable else "Fits",
        message=schedulable.message if schedulable else "",
        now=now,
        generation=generation,
    )


def _of_project(context: Context, record: Record) -> Iterable[tuple[str, str]]:
    project = label(record, LABEL_PROJECT) or record.name
    return [scaling.key for scaling in context.cache.of_project(Scaling, record.namespace, project)]


def _scaled_part(old: Workload | None, new: Workload | None) -> bool:
    """What a scaling hands on, or reports, changed."""
    return _scaled(old) != _scaled(new)


def _scaled(workload: Workload | None) -> tuple[object, ...]:
    if workload is None:
        return ()
    spec, status, fits = workload.spec, workload.status, find(workload.status.conditions, SCHEDULABLE)
    says = (fits.status, fits.reason, fits.message) if fits else None
    return (workload.uid, workload.deleting, spec.deploy, spec.replicas, spec.size, status.ready, says)


RECONCILER = Reconciler(
    Scaling,
    reconcile,
    [
        Watch(Workload, _of_project, _scaled_part),
        Watch(Route, _of_project, spec_or_metadata),
        Watch(Project, _of_project, appeared_or_gone),
    ],
)
