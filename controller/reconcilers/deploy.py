"""Deploy: drives one release. What to do next is decided in `planning/release`; here it is done."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from controller.engine.context import Context
from controller.engine.errors import NotYet
from controller.engine.reconciler import Reconciler, Watch
from crds.client.changes import spec_or_metadata
from crds.client.errors import NotFound
from crds.conditions import READY, with_condition
from crds.models.build import Build
from crds.models.core import Secret
from crds.models.deploy import Deploy, DeployStatus, Failure
from crds.models.gitref import GitRef
from crds.models.project import Project
from crds.models.record import Metadata, Record
from crds.models.route import Route
from crds.models.scaling import Scaling
from crds.models.workload import Workload
from crds.names import LABEL_DEPLOY, LABEL_PROJECT, handle_of, label, labels_for, project_host
from planning.release import steps
from planning.release.actions import Action, Ensure, Remove, SwitchTraffic, TakeSnapshot
from planning.release.release import plan_release
from planning.release.retention import expendable
from planning.release.view import ReleaseView, is_finished

MANAGER = "setpoint-deploy"
# The queue of a project is decided over all of its deploys, so they take turns. Only the leader runs this.
_turns: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)


async def reconcile(context: Context, deploy: Deploy, status: DeployStatus) -> float | None:
    async with _turns[deploy.namespace, deploy.spec.project]:
        current = context.cache.get(Deploy, deploy.namespace, deploy.name) or deploy
        return await _reconcile(context, current, status)


async def _reconcile(context: Context, deploy: Deploy, status: DeployStatus) -> float | None:
    project = context.cache.get(Project, deploy.namespace, deploy.spec.project)
    if deploy.deleting:
        return None
    if project is None and deploy.metadata.owner_references:
        # It had one: heard of too late, and then it will be, or gone, and then this goes, too.
        return None
    if project is None and not is_finished(deploy):
        status.phase = "queued"
        raise NotYet(
            "ProjectNotFound",
            f"There is no project {deploy.spec.project} in this account yet: this is deployed when it is made.",
            600,
        )
    if project is None or project.deleting:
        _orphaned(context, deploy, status)
        return None
    if not deploy.metadata.owner_references:
        await _adopt(context, deploy, project)
    plan = plan_release(_view(context, deploy, project))
    for action in plan.actions:
        await _do(context, deploy, project, action)
    _take(status, plan.status)
    _say_ready(context, deploy, status, plan.waiting_for)
    if is_finished(deploy):
        await _prune(context, deploy)
    return plan.again_in


def _view(context: Context, deploy: Deploy, project: Project) -> ReleaseView:
    cache, namespace, name = context.cache, deploy.namespace, project.name
    host = project_host(name, handle_of(namespace), context.settings.base_domain)
    return ReleaseView(
        deploy=deploy,
        project=project,
        now=context.now(),
        url=context.settings.url(host),
        runner=context.settings.runner,
        siblings=[d for d in cache.of_project(Deploy, namespace, name) if d.name != deploy.name],
        gitref=cache.get(GitRef, namespace, deploy.name),
        build=cache.get(Build, namespace, deploy.name),
        workloads=[w for w in cache.of_project(Workload, namespace, name) if w.spec.deploy == deploy.name],
        route=cache.get(Route, namespace, name),
        scalings=[s for s in cache.of_project(Scaling, namespace, name) if s.spec.project == name],
    )


async def _do(context: Context, deploy: Deploy, project: Project, action: Action) -> None:
    if isinstance(action, Ensure):
        await context.ensure(action.record)
    elif isinstance(action, Remove):
        await context.remove(action.record)
    elif isinstance(action, TakeSnapshot):
        await _snapshot(context, deploy, action)
    elif isinstance(action, SwitchTraffic):
        await context.apply(Route, _route(deploy, project, action), MANAGER)


def _route(deploy: Deploy, project: Project, action: SwitchTraffic) -> dict[str, Any]:
    metadata = {
        "name": project.name,
        "namespace": deploy.namespace,
        "labels": labels_for(project.name),
        "ownerReferences": [project.owner_reference().wire()],
    }
    return {
        "metadata": metadata,
        "spec": {"project": project.name, "deploy": action.deploy, "workload": action.workload},
    }


async def _snapshot(context: Context, deploy: Deploy, action: TakeSnapshot) -> None:
    """Taken once: a repeat finds it. Written only while nothing was built, so that no edit slips in later."""
    if deploy.status.snapshot == action.name:
        return
    try:
        source = await context.client.get(Secret, action.source, deploy.namespace)
        data, annotations = source.data, source.metadata.annotations
    except NotFound:
        data, annotations = {}, {}
    snapshot = Secret(
        metadata=Metadata(
            name=action.name,
            namespace=deploy.namespace,
            labels=labels_for(deploy.spec.project, deploy.name),
            annotations={key: value for key, value in annotations.items() if "setpoint.dev/" in key},
            owner_references=[deploy.owner_reference()],
        ),
        immutable=True,
        data=data,
    )
    await context.ensure(snapshot)


async def _adopt(context: Context, deploy: Deploy, project: Project) -> None:
    """A deploy that came by manifest: it goes with its project, and is found by its label."""
    patch = {
        "metadata": {
            "labels": labels_for(project.name),
            "ownerReferences": [project.owner_reference().wire()],
        }
    }
    await context.patch(deploy, patch)


def _orphaned(context: Context, deploy: Deploy, status: DeployStatus) -> None:
    if not is_finished(deploy):
        status.steps = [step.model_copy() for step in status.steps]
        message = f"The project {deploy.spec.project} is being deleted."
        steps.fail(status, context.now(), Failure(reason="ProjectDeleted", message=message))


def _take(status: DeployStatus, planned: DeployStatus) -> None:
    for name in DeployStatus.model_fields:
        if name not in ("conditions", "observed_generation"):
            setattr(status, name, getattr(planned, name))


def _say_ready(context: Context, deploy: Deploy, status: DeployStatus, waiting_for: str) -> None:
    live = status.phase == "live"
    reason = (status.phase or "queued").capitalize()
    message = f"Waiting for {waiting_for}." if waiting_for else ""
    status.conditions = with_condition(
        status.conditions,
        READY,
        "True" if live else "False",
        reason=reason,
        message=message,
        now=context.now(),
        generation=deploy.metadata.generation,
    )


async def _prune(context: Context, deploy: Deploy) -> None:
    for old in expendable(context.cache.of_project(Deploy, deploy.namespace, deploy.spec.project)):
        await context.remove(old)


def _of_label(_context: Context, record: Record) -> Iterable[tuple[str, str]]:
    name = label(record, LABEL_DEPLOY)
    return [(record.namespace, name)] if name else []


def _unfinished_or_live(context: Context, record: Record) -> Iterable[tuple[str, str]]:
    """A change of a project, route or sibling concerns the deploys that wait, run or serve."""
    project = label(record, LABEL_PROJECT) or (record.name if isinstance(record, Project) else "")
    for deploy in context.cache.of_project(Deploy, record.namespace, project or getattr(record, "name", "")):
        if not is_finished(deploy) or deploy.status.phase == "live":
            yield deploy.key


RECONCILER = Reconciler(
    Deploy,
    reconcile,
    [
        Watch(GitRef, _of_label),
        Watch(Build, _of_label),
        Watch(Workload, _of_label),
        Watch(Route, _unfinished_or_live),
        Watch(Deploy, _unfinished_or_live),
        Watch(Project, _unfinished_or_live, spec_or_metadata),
    ],
)
