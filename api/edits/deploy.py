"""Deploys: asked for, cancelled, rolled back to."""

from typing import Any, Literal

from pydantic import Field

from api import annotations
from api.http.shapes import Body
from api.problems import conflict, invalid
from api.views.status import is_over
from crds.models.deploy import Deploy, DeploySpec
from crds.models.project import Project
from crds.models.record import Metadata
from crds.names import ANNOTATION_PROJECT_GENERATION, ANNOTATION_REQUEST, deploy_name, labels_for
from planning.source import ref_problem


class DeployRequest(Body):
    ref: str | None = Field(default=None, description="Branch, tag or commit; left out: the connected branch")


class RollbackRequest(Body):
    deploy_id: str | None = Field(default=None, description="A deploy that was live; left out: the one before this")


def check_ref(ref: str | None, pointer: str = "/ref") -> str:
    """The ref as a record has it. Only its form is judged here; the loop finds out what it names."""
    if ref is None:
        return ""
    problem = ref_problem(ref)
    if problem:
        raise invalid(pointer, f"The ref {problem}.")
    return ref


def must_have_source(project: Project) -> None:
    source = project.spec.source
    if not source.repository and not source.image:
        raise conflict("The project has no repository yet. Connect one first: POST /v1/projects/:id/git.")


def new_deploy(
    project: Project,
    *,
    token: str,
    ref: str,
    actor: str,
    request_id: str,
    trigger: Literal["api", "rollback"] = "api",
    rollback_to: str = "",
) -> Deploy:
    name = deploy_name(project.name, token)
    return Deploy(
        metadata=Metadata(
            name=name,
            namespace=project.namespace,
            labels=labels_for(project.name, deploy=name),
            annotations={
                ANNOTATION_REQUEST: request_id,
                ANNOTATION_PROJECT_GENERATION: str(project.metadata.generation),
                annotations.ACTOR: actor,
            },
            owner_references=[project.owner_reference()],
        ),
        spec=DeploySpec(project=project.name, ref=ref, trigger=trigger, rollback_to=rollback_to),
    )


def cancel(deploy: Deploy) -> dict[str, Any]:
    if is_over(deploy):
        raise conflict(f"The deploy is over ({deploy.status.phase}); there is nothing to cancel.")
    return {"spec": {"cancel": True}}


def rollback_target(deploys: list[Deploy], live: Deploy | None, wanted: Deploy | None) -> Deploy:
    """The deploy to bring back: `wanted`, or the last one that was live before `live`."""
    if wanted is None:
        former = [deploy for deploy in deploys if deploy.status.was_live and not _same(deploy, live)]
        if not former:
            raise conflict("No earlier deploy was live, so there is nothing to roll back to.")
        return max(former, key=lambda deploy: deploy.status.number or 0)
    if _same(wanted, live):
        raise conflict("This deploy is the live one.")
    if not wanted.status.was_live:
        raise conflict("This deploy never was live. Roll back to one that was, or deploy its commit anew.")
    return wanted


def _same(one: Deploy, other: Deploy | None) -> bool:
    return other is not None and one.uid == other.uid
