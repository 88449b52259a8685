"""Projects: made and edited."""

from typing import Any, Literal

from pydantic import Field

from api import annotations
from api.http.shapes import Body
from api.problems import invalid
from crds.models.project import Project, ProjectSource, ProjectSpec
from crds.models.record import Metadata
from crds.models.scaling import Scaling, ScalingSpec
from crds.names import (
    ANNOTATION_REQUEST,
    PROJECT_NAME_LENGTH,
    RESERVED,
    labels_for,
    name_problem,
    scaling_name,
)

RuntimeHint = Literal["python", "node", "static", "procfile", "go", "ruby", "php", "dockerfile"]


class CreateProject(Body):
    name: str = Field(description="Lower-case letters, digits and hyphens, 1 to 30 characters; unique in the account")
    runtime: RuntimeHint | None = Field(default=None, description="A hint; detected when left out")


class PatchProject(Body):
    """Only what is named is changed. `runtime` null: detect."""

    runtime: RuntimeHint | None = None
    path: str = Field(default="", max_length=512, description="Folder of the project inside its repository")
    deploy_policy: Literal["onChange", "manual"] = "manual"


def check_name(name: str) -> None:
    problem = name_problem(name, PROJECT_NAME_LENGTH)
    if problem:
        raise invalid("/name", f"The name {problem}.")
    if name in RESERVED:
        raise invalid("/name", "This name is kept for the platform itself. Choose another.", code="reserved_name")


def new_project(body: CreateProject, namespace: str, *, request_id: str, token: str) -> Project:
    """`token`: by which a repeat of the same request knows its project again."""
    return Project(
        metadata=Metadata(
            name=body.name,
            namespace=namespace,
            annotations={ANNOTATION_REQUEST: request_id, annotations.MADE_BY: token},
        ),
        spec=ProjectSpec(runtime=body.runtime or "", source=ProjectSource(), deploy_policy="manual"),
    )


def new_scaling(project: Project, process: str = "web") -> Scaling:
    return Scaling(
        metadata=Metadata(
            name=scaling_name(project.name, process),
            namespace=project.namespace,
            labels=labels_for(project.name, process=process),
            owner_references=[project.owner_reference()],
        ),
        spec=ScalingSpec(project=project.name, process=process),
    )


def patch_project(body: PatchProject) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    if "runtime" in body.model_fields_set:
        spec["runtime"] = body.runtime or ""
    if "path" in body.model_fields_set:
        spec["source"] = {"path": _folder(body.path)}
    if "deploy_policy" in body.model_fields_set:
        spec["deployPolicy"] = body.deploy_policy
    return {"spec": spec} if spec else {}


def _folder(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith(("/", "-")) or ".." in parts or not path.isprintable():
        raise invalid("/path", "must be a relative path inside the repository, without ..")
    return "/".join(parts)
