"""What a plan is asked for."""

from typing import Self

from pydantic import Field, model_validator

from api.edits.project import RuntimeHint
from api.http.shapes import Body


class PlanSource(Body):
    repository: str = Field(description="https or ssh URL, or owner/name")
    branch: str | None = None
    ref: str | None = Field(default=None, description="Branch, tag or commit; left out: the branch")


class PlanRequest(Body):
    """One of three: a project as it is, a source, or manifests."""

    project_id: str | None = None
    ref: str | None = None
    source: PlanSource | None = None
    runtime: RuntimeHint | None = None
    manifests: str | None = Field(default=None, description="YAML documents of Project, Scaling and Domain")

    @model_validator(mode="after")
    def _one_of_three(self) -> Self:
        given = [part for part in (self.project_id, self.source, self.manifests) if part is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of projectId, source and manifests")
        if self.ref is not None and self.project_id is None:
            raise ValueError("ref goes with projectId; a source has its own ref")
        if self.runtime is not None and self.source is None:
            raise ValueError("runtime goes with source")
        return self
