"""A deploy as answers show it."""

from collections.abc import Sequence

from api import annotations
from api.http.shapes import Moment, View
from api.views.common import id_of
from api.views.status import deploy_word
from crds.models.deploy import Deploy, DeployPhase
from crds.models.project import Project


class ErrorView(View):
    """`log`: the last lines of what failed; empty where they cannot be had (and in lists)."""

    reason: str
    message: str
    log: list[str]


class StepView(View):
    name: str
    status: str
    started_at: Moment
    finished_at: Moment | None
    message: str | None


class DeployView(View):
    id: str
    deploy_id: str
    project_id: str | None
    number: int | None
    status: DeployPhase
    was_live: bool
    ref: str | None
    commit: str | None
    commit_message: str | None
    trigger: str
    actor: str | None
    url: str | None
    steps: list[StepView]
    created_at: Moment | None
    started_at: Moment | None
    finished_at: Moment | None
    error: ErrorView | None


class DeployList(View):
    deploys: list[DeployView]
    next_cursor: str | None


def deploy_view(deploy: Deploy, project: Project | None, log: Sequence[str] = ()) -> DeployView:
    status = deploy.status
    return DeployView(
        id=id_of(deploy),
        deploy_id=id_of(deploy),
        project_id=id_of(project) if project else None,
        number=status.number,
        status=deploy_word(deploy),
        was_live=status.was_live or status.phase == "live",
        ref=deploy.spec.ref or None,
        commit=status.commit,
        commit_message=status.commit_message,
        trigger=deploy.spec.trigger,
        actor=actor_of(deploy, project),
        url=status.url,
        steps=[StepView(**step.model_dump()) for step in status.steps],
        created_at=deploy.metadata.creation_timestamp,
        started_at=status.started_at,
        finished_at=status.finished_at,
        error=error_view(deploy, log),
    )


def error_view(deploy: Deploy, log: Sequence[str]) -> ErrorView | None:
    failure = deploy.status.failure
    return ErrorView(reason=failure.reason, message=failure.message, log=list(log)) if failure else None


def actor_of(deploy: Deploy, project: Project | None) -> str | None:
    """Who it was made for: for a push, the person who connected the repository."""
    if deploy.spec.trigger in ("webhook", "git") and project is not None:
        return project.metadata.annotations.get(annotations.CONNECTED_BY)
    return deploy.metadata.annotations.get(annotations.ACTOR)
