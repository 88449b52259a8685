"""GitRef: at which commit a ref of a repository stands. Whoever needs a commit asks by this record, so that only the
runner ever talks to a repository."""

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status, immutable


class GitRefSpec(Shape):
    runner: Literal["local", "kubernetes"] = "local"
    project: str = immutable(max_length=30)
    repository: str = Field(max_length=2048)
    ref: str = Field(default="", max_length=255, description="Branch, tag or commit; empty: the repository's HEAD")
    request: str = Field(default="", max_length=128, description="Look again when this differs from the status")
    interval_seconds: int = Field(default=0, ge=0, description="Look again this often; 0: only when asked")


class GitRefStatus(Status):
    node: str | None = Field(default=None, description="The ComputeNode that looks")
    request: str | None = None
    repository: str | None = Field(default=None, description="What was looked at, as the spec named it")
    ref: str | None = None
    commit: str | None = None
    phase: Literal["pending", "resolved", "failed"] | None = None
    message: str | None = Field(default=None, max_length=1000)
    resolved_at: datetime | None = None


class GitRef(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "gitrefs", "GitRef")
    columns: ClassVar[list[Column]] = [
        Column("Project", ".spec.project"),
        Column("Ref", ".spec.ref"),
        Column("Status", ".status.phase"),
        Column("Commit", ".status.commit"),
        Column("Message", ".status.message", priority=1),
    ]
    spec: GitRefSpec
    status: GitRefStatus = Field(default_factory=GitRefStatus)
