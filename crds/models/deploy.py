"""Deploy: one release of a project, from a ref to traffic. Immutable but for `cancel`."""

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status, immutable

DeployPhase = Literal["queued", "building", "releasing", "live", "failed", "cancelled", "superseded"]
FINISHED: frozenset[str] = frozenset({"live", "failed", "cancelled", "superseded"})
StepName = Literal["resolve", "build", "start", "check", "switch"]


class DeploySpec(Shape):
    project: str = immutable(max_length=30)
    ref: str = immutable(default="", max_length=255, description="Branch, tag or commit; empty: the branch")
    trigger: Literal["api", "webhook", "git", "agent", "rollback"] = immutable(default="api")
    rollback_to: str = immutable(default="", max_length=253, description="Name of the Deploy to bring back")
    cancel: bool = False


class Step(Shape):
    """One step of the release, as the loop saw it."""

    name: StepName
    status: Literal["running", "done", "failed"]
    started_at: datetime
    finished_at: datetime | None = None
    message: str | None = Field(default=None, max_length=1000)


class DeployedProcess(Shape):
    name: str
    command: str
    workload: str | None = None


class Failure(Shape):
    """Why it failed: a reason for programs, a sentence for people. Output of the tenant is in the log, not here."""

    reason: str
    message: str = Field(max_length=2000)
    instance: str | None = Field(default=None, description="Name of the Instance whose log tells more")
    node: str | None = Field(default=None, description="Name of the ComputeNode that has that log")


class DeployStatus(Status):
    number: int | None = None
    phase: DeployPhase | None = None
    commit: str | None = None
    commit_message: str | None = Field(default=None, max_length=500)
    build: str | None = Field(default=None, description="Name of the Build")
    build_node: str | None = Field(default=None, description="Name of the ComputeNode that has the build's log")
    artifact: str | None = None
    runtime: str | None = None
    processes: list[DeployedProcess] = Field(default_factory=list)
    snapshot: str | None = Field(default=None, description="Name of the Secret with the variables as they were")
    steps: list[Step] = Field(default_factory=list, max_length=20)
    failure: Failure | None = None
    url: str | None = None
    was_live: bool = False
    started_at: datetime | None = None
    live_at: datetime | None = None
    finished_at: datetime | None = None


class Deploy(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "deploys", "Deploy")
    # `deploy` alone would shadow Deployments for `kubectl rollout status deploy/x`.
    singular: ClassVar[str] = "projectdeploy"
    columns: ClassVar[list[Column]] = [
        Column("Project", ".spec.project"),
        Column("No", ".status.number", "integer"),
        Column("Status", ".status.phase"),
        Column("Commit", ".status.commit"),
        Column("Trigger", ".spec.trigger", priority=1),
        Column("Reason", ".status.failure.reason"),
        Column("Message", ".status.failure.message", priority=1),
    ]
    spec: DeploySpec
    status: DeployStatus = Field(default_factory=DeployStatus)
