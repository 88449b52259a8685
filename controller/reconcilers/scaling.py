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
        if _numbers(workload) != _wanted(scaling):
            replicas, size = _wanted(scaling)
            workload = await context.patch(workload, {"spec": {"replicas": replicas, "size": size}})
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


def _at_odds(context: Context, workload: Workload) -> Iterable[tuple[str, str]]:
    """Those that want other numbers: to what they have just handed on themselves they need not be woken."""
    for scaling in context.cache.of_project(Scaling, workload.namespace, workload.spec.project):
        if scaling.spec.process == workload.spec.process and _wanted(scaling) != _numbers(workload):
            yield scaling.key


def _numbers_changed(old: Workload | None, new: Workload | None) -> bool:
    return old is not None and new is not None and _numbers(old) != _numbers(new)


def _wanted(scaling: Scaling) -> tuple[int, str]:
    return scaling.spec.instances, scaling.spec.size


def _numbers(workload: Workload) -> tuple[int, str]:
    return workload.spec.replicas, workload.spec.size


def _reported_part(old: Workload | None, new: Workload | None) -> bool:
    """What a scaling reports of it changed, or whether it is one that is scaled."""
    return _reported(old) != _reported(new)


def _reported(workload: Workload | None) -> tuple[object, ...]:
    if workload is None:
        return ()
    fits = find(workload.status.conditions, SCHEDULABLE)
    says = (fits.status, fits.reason, fits.message) if fits else None
    return (workload.uid, workload.deleting, workload.spec.deploy, workload.status.ready, says)


RECONCILER = Reconciler(
    Scaling,
    reconcile,
    [
        Watch(Workload, _of_project, _reported_part),
        Watch(Workload, _at_odds, _numbers_changed),
        Watch(Route, _of_project, spec_or_metadata),
        Watch(Project, _of_project, appeared_or_gone),
    ],
)
