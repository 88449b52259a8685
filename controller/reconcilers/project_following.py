"""Project, the branch it follows: asked for where it stands, and deployed when it moved."""

from typing import Any

from controller.engine.context import Context
from crds.models.deploy import Deploy, DeploySpec
from crds.models.gitref import GitRef
from crds.models.project import Project, ProjectStatus
from crds.models.record import Metadata
from crds.names import ANNOTATION_FOLLOW, ANNOTATION_PUSH, deploy_name, head_gitref, labels_for
from planning.source import follow

MANAGER = "setpoint-project"


async def follow_branch(context: Context, project: Project, status: ProjectStatus) -> None:
    """A pushed or moved branch makes one deploy for each head; whether it does is decided in `planning/source`."""
    annotations = project.metadata.annotations
    follows = project.spec.deploy_policy == "onChange" or annotations.get(ANNOTATION_FOLLOW) == "true"
    source = project.spec.source
    if not follows or not source.repository:
        await _stop_following(context, project)
        return
    pushed = annotations.get(ANNOTATION_PUSH, "")
    head = await _ask_for_head(context, project, pushed)
    if head is None:
        return
    deploys = context.cache.of_project(Deploy, project.namespace, project.name)
    state, due = follow(
        spec=project.spec,
        head=head,
        handled=status.followed,
        pushed=bool(pushed),
        deployed={d.status.commit for d in deploys if d.status.commit},
    )
    status.head = head[:12]
    if due:
        await _deploy_head(context, project, status, head, pushed)
    if state.due:
        status.head_moves += 1
        status.followed = state.wanted


async def _ask_for_head(context: Context, project: Project, request: str) -> str | None:
    """The commit at which the branch stands, if the answer is to the question as it is now."""
    source, name = project.spec.source, head_gitref(project.name)
    known = context.cache.get(GitRef, project.namespace, name)
    spec: dict[str, Any] = {
        "runner": context.settings.runner,
        "project": project.name,
        "repository": source.repository,
        "ref": source.branch,
        "request": request,
        "intervalSeconds": context.settings.git_interval_seconds,
    }
    if known is None or any(known.spec.wire().get(key) != value for key, value in spec.items()):
        metadata = {
            "name": name,
            "namespace": project.namespace,
            "labels": labels_for(project.name),
            "ownerReferences": [project.owner_reference().wire()],
        }
        known = await context.apply(GitRef, {"metadata": metadata, "spec": spec}, MANAGER)
    answer = known.status
    current = (answer.repository, answer.ref, answer.request or "") == (source.repository, source.branch, request)
    return answer.commit if current and answer.phase == "resolved" else None


async def _stop_following(context: Context, project: Project) -> None:
    head = context.cache.get(GitRef, project.namespace, head_gitref(project.name))
    if head is not None:
        await context.remove(head)


async def _deploy_head(context: Context, project: Project, status: ProjectStatus, head: str, pushed: str) -> None:
    """The name says for which move of the head it is, so a crash before the status is written makes no second one."""
    name = deploy_name(project.name, f"{project.uid} {status.head_moves + 1} {head}")
    spec = DeploySpec(project=project.name, ref=head, trigger="webhook" if pushed else "git")
    deploy = Deploy(
        metadata=Metadata(
            name=name,
            namespace=project.namespace,
            labels=labels_for(project.name),
            owner_references=[project.owner_reference()],
        ),
        spec=spec,
    )
    await context.ensure(deploy)
