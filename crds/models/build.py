"""Build: one commit made into an artifact. Immutable; the runner that its spec names does the work."""

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status, immutable


class DetectedProcess(Shape):
    name: str
    command: str


class BuildSpec(Shape):
    runner: Literal["local", "kubernetes"] = immutable(default="local")
    project: str = immutable(max_length=30)
    deploy: str = immutable(max_length=253)
    repository: str = immutable(max_length=2048)
    commit: str = immutable(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")
    ref: str = immutable(default="", max_length=255, description="The ref the commit was found at: fetched by it")
    path: str = immutable(default="", max_length=512)
    runtime: str = immutable(default="", description="The hint; empty: detect")
    variables: list[str] = immutable(default_factory=list, description="Names, from the snapshot, that the build sees")
    snapshot: str = immutable(default="", description="Name of the Secret with the variables")
    timeout_seconds: int = immutable(default=900)


class BuildStatus(Status):
    phase: Literal["pending", "building", "succeeded", "failed"] | None = None
    node: str | None = Field(default=None, description="The ComputeNode that builds, and serves the log")
    attempt: int = 0
    artifact: str | None = Field(default=None, description="sha256:<hex> of the content")
    runtime: str | None = None
    processes: list[DetectedProcess] = Field(default_factory=list, max_length=20)
    commit_message: str | None = Field(default=None, max_length=500)
    reason: str | None = None
    message: str | None = Field(default=None, max_length=2000)
    started_at: datetime | None = None
    finished_at: datetime | None = None


class Build(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "builds", "Build")
    columns: ClassVar[list[Column]] = [
        Column("Project", ".spec.project"),
        Column("Status", ".status.phase"),
        Column("Runtime", ".status.runtime"),
        Column("Commit", ".spec.commit"),
        Column("Node", ".status.node", priority=1),
        Column("Message", ".status.message", priority=1),
    ]
    spec: BuildSpec
    status: BuildStatus = Field(default_factory=BuildStatus)
