"""Instance: one run of a workload on one node of the local runner. Its id never runs twice."""

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status, immutable
from crds.sizes import DEFAULT_SIZE, SizeName

InstancePhase = Literal["pending", "starting", "running", "stopping", "crashed", "lost", "stopped"]


class InstanceSpec(Shape):
    workload: str = immutable(max_length=253)
    node: str = immutable(max_length=63)
    size: SizeName = immutable(default=DEFAULT_SIZE)


class InstanceStatus(Status):
    phase: InstancePhase | None = None
    # Only the agent that writes it and the router's planner that reads it know what an address looks like.
    address: str | None = Field(default=None, max_length=200)
    ready: bool = False
    restarts: int = 0
    exit_code: int | None = None
    reason: str | None = None
    message: str | None = Field(default=None, max_length=1000)
    started_at: datetime | None = None


class Instance(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "instances", "Instance")
    short_names: ClassVar[list[str]] = ["ins"]
    columns: ClassVar[list[Column]] = [
        Column("Workload", ".spec.workload"),
        Column("Node", ".spec.node"),
        Column("Status", ".status.phase"),
        Column("Ready", ".status.ready", "boolean"),
        Column("Restarts", ".status.restarts", "integer"),
        Column("Size", ".spec.size"),
        Column("Reason", ".status.reason", priority=1),
        Column("Address", ".status.address", priority=1),
    ]
    spec: InstanceSpec
    status: InstanceStatus = Field(default_factory=InstanceStatus)
