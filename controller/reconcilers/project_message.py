"""Project: the one sentence of its status, on what a user has to know first."""

from controller.engine.context import Context
from crds.conditions import READY, SCHEDULABLE, find
from crds.models.deploy import Deploy
from crds.models.gitref import GitRef
from crds.models.project import Project, ProjectStatus
from crds.models.route import CROWDED, Route
from crds.models.workload import Workload
from crds.names import head_gitref


def project_message(context: Context, project: Project, status: ProjectStatus, last: Deploy | None) -> str:
    """Empty: all is well."""
    if status.phase == "pending":
        return _not_followed(context, project) or "Nothing was deployed yet."
    if status.phase == "failed" and last is not None and last.status.failure is not None:
        return last.status.failure.message
    if status.phase == "degraded":
        return _trouble(context, project) or _refusing(context, project) or f"{status.summary} instances are ready."
    if status.phase in ("running", "deploying"):
        # Of a process that is not served, or not yet: the pages may be well while a worker ends again and again.
        return _trouble(context, project) or _refusing(context, project) or _not_followed(context, project)
    return ""


def _not_followed(context: Context, project: Project) -> str:
    """Why no new commit will be deployed; empty when nothing is in the way."""
    head = context.cache.get(GitRef, project.namespace, head_gitref(project.name))
    source = project.spec.source
    if head is None or head.status.phase != "failed":
        return ""
    if (head.status.repository, head.status.ref) != (source.repository, source.branch):
        return ""
    return f"The branch {source.branch} cannot be followed: {head.status.message or 'it could not be read.'}"


def _trouble(context: Context, project: Project) -> str | None:
    for workload in context.cache.of_project(Workload, project.namespace, project.name):
        short = find(workload.status.conditions, SCHEDULABLE)
        if short is not None and short.status == "False" and not workload.deleting:
            return short.message
        if workload.status.trouble is not None and not workload.deleting:
            return workload.status.trouble.message
    return None


def _refusing(context: Context, project: Project) -> str:
    return crowded(context.cache.get(Route, project.namespace, project.name))


def crowded(route: Route | None) -> str:
    """Why the router refuses some of its requests; empty when it does not."""
    ready = find(route.status.conditions, READY) if route is not None else None
    return ready.message if ready is not None and ready.reason == CROWDED else ""
