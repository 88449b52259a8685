"""Project: sums up what its records say, keeps its address, and makes a deploy when the branch it follows moves."""

from collections.abc import Iterable

from controller.engine.context import Context
from controller.engine.errors import NotYet, Terminal
from controller.engine.reconciler import Reconciler, Watch
from controller.reconcilers.project_following import MANAGER, follow_branch
from controller.reconcilers.project_message import crowded, project_message
from controller.reconcilers.project_removal import FINALIZER, remove_project
from crds.client.changes import appeared_or_gone, spec_or_metadata
from crds.conditions import READY, SCHEDULABLE, find, with_condition
from crds.models.account import Account
from crds.models.build import Build
from crds.models.deploy import Deploy
from crds.models.domain import Domain
from crds.models.gitref import GitRef
from crds.models.instance import Instance
from crds.models.project import InstanceCount, Project, ProjectStatus
from crds.models.record import Record
from crds.models.route import Route
from crds.models.scaling import Scaling
from crds.models.workload import Workload
from crds.names import (
    LABEL_PROJECT,
    PROJECT_NAME_LENGTH,
    RESERVED,
    handle_of,
    label,
    labels_for,
    name_problem,
    project_host,
)
from planning.phase import newest, project_phase
from planning.source import repository_problem


async def reconcile(context: Context, project: Project, status: ProjectStatus) -> float | None:
    if project.deleting:
        status.phase = "deleting"
        return await remove_project(context, project)
    try:
        account = _checked(context, project)
    except (NotYet, Terminal) as problem:
        # `kubectl get` shows the phase and the message: a refused project must not look like a pending one.
        status.phase, status.message = "failed", problem.message
        raise
    if FINALIZER not in project.metadata.finalizers:
        await context.patch(project, {"metadata": {"finalizers": [*project.metadata.finalizers, FINALIZER]}})
    await _keep_address(context, project)
    _sum_up(context, project, status)
    if not account.spec.suspended:
        await follow_branch(context, project, status)
    return None


def _checked(context: Context, project: Project) -> Account:
    account = context.cache.get(Account, None, handle_of(project.namespace))
    if account is None:
        raise NotYet("NoAccount", f"The namespace {project.namespace} belongs to no account: use acc-<handle>.", 600)
    problem = name_problem(project.name, PROJECT_NAME_LENGTH)
    if problem or project.name in RESERVED:
        raise Terminal("InvalidName", f"The name {problem or 'is reserved'}: delete this project, make another.")
    repository = project.spec.source.repository
    bad = repository_problem(repository, operator=account.spec.operator) if repository else None
    if bad:
        raise Terminal("InvalidRepository", f"spec.source.repository {bad}.")
    if project.spec.source.image:
        raise Terminal("NoImages", "Prebuilt images run on Kubernetes only: set spec.source.repository instead.")
    return account


async def _keep_address(context: Context, project: Project) -> None:
    """The Route's hostnames are the project's own and its active domains; the deploy in it is Deploy's business."""
    own = project_host(project.name, handle_of(project.namespace), context.settings.base_domain)
    domains = context.cache.of_project(Domain, project.namespace, project.name)
    hostnames = sorted({own, *(d.spec.hostname for d in domains if d.status.phase == "active" and not d.deleting)})
    route = context.cache.get(Route, project.namespace, project.name)
    owned = route is not None and any(o.uid == project.uid for o in route.metadata.owner_references)
    if route is not None and owned and sorted(route.spec.hostnames) == hostnames:
        return
    body = {
        "metadata": {
            "name": project.name,
            "namespace": project.namespace,
            "labels": labels_for(project.name),
            "ownerReferences": [project.owner_reference().wire()],
        },
        "spec": {"project": project.name, "hostnames": hostnames},
    }
    await context.apply(Route, body, MANAGER)


def _sum_up(context: Context, project: Project, status: ProjectStatus) -> None:
    cache, namespace, name = context.cache, project.namespace, project.name
    deploys = cache.of_project(Deploy, namespace, name)
    route = cache.get(Route, namespace, name)
    live = cache.get(Deploy, namespace, route.spec.deploy) if route and route.spec.deploy else None
    last = newest(deploys)
    status.last_number = max([status.last_number, *(d.status.number or 0 for d in deploys)])
    status.latest_deploy = last.name if last else None
    status.deploy = live.name if live else None
    status.commit = live.status.commit[:12] if live and live.status.commit else None
    status.runtime = live.status.runtime if live else None
    host = project_host(name, handle_of(namespace), context.settings.base_domain)
    status.url = context.settings.url(host)
    status.instances = _count(context, project, live)
    status.summary = f"{status.instances.ready}/{status.instances.desired}"
    status.phase = project_phase(deleting=False, live=live is not None, deploys=deploys, count=status.instances)
    _say_ready(context, project, status, last)


def _count(context: Context, project: Project, live: Deploy | None) -> InstanceCount:
    """Of the served process, or of all of them where none is served."""
    if live is None:
        return InstanceCount()
    workloads = [
        w
        for w in context.cache.of_project(Workload, project.namespace, project.name)
        if w.spec.deploy == live.name and not w.deleting
    ]
    counted = [w for w in workloads if w.spec.served] or workloads
    return InstanceCount(
        desired=sum(w.spec.replicas for w in counted), ready=sum(min(w.status.ready, w.spec.replicas) for w in counted)
    )


def _say_ready(context: Context, project: Project, status: ProjectStatus, last: Deploy | None) -> None:
    good = status.phase in ("running", "stopped", "sleeping")
    message = project_message(context, project, status, last)
    status.message = message or None
    status.conditions = with_condition(
        status.conditions,
        READY,
        "True" if good else "False",
        reason=(status.phase or "pending").capitalize(),
        message=message,
        now=context.now(),
        generation=project.metadata.generation,
    )


def _of_label(_context: Context, record: Record) -> Iterable[tuple[str, str]]:
    name = label(record, LABEL_PROJECT) or getattr(getattr(record, "spec", None), "project", "")
    return [(record.namespace, name)] if name else []


def _counted_part(old: Workload | None, new: Workload | None) -> bool:
    """What a project says of its workloads changed."""
    return _counted(old) != _counted(new)


def _counted(workload: Workload | None) -> tuple[object, ...]:
    if workload is None:
        return ()
    spec, status, short = workload.spec, workload.status, find(workload.status.conditions, SCHEDULABLE)
    shortfall = short.message if short is not None and short.status == "False" else None
    trouble = status.trouble.message if status.trouble is not None else None
    stands = (workload.uid, workload.deleting, spec.deploy, spec.served, spec.replicas)
    return (*stands, status.ready, shortfall, trouble)


def _told_part(old: Route | None, new: Route | None) -> bool:
    """What a project says of its Route changed."""
    return spec_or_metadata(old, new) or crowded(old) != crowded(new)


def _of_account(context: Context, account: Account) -> Iterable[tuple[str, str]]:
    return [project.key for project in context.cache.store(Project).list(f"acc-{account.name}")]


RECONCILER = Reconciler(
    Project,
    reconcile,
    [
        *(Watch(model, _of_label) for model in (Deploy, Domain, GitRef)),
        Watch(Workload, _of_label, _counted_part),
        Watch(Route, _of_label, _told_part),
        *(Watch(model, _of_label, appeared_or_gone) for model in (Build, Instance, Scaling)),
        Watch(Account, _of_account, spec_or_metadata),
    ],
)
