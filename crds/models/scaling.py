"""Scaling: how many instances of one process of a project, and how large. Named `<project>-<process>`."""

from datetime import datetime
from typing import ClassVar

from pydantic import Field

from crds.models.project import PROCESS_NAME
from crds.models.record import GROUP, VERSION, Column, Record, Resource, ScalePaths, Shape, Status, immutable
from crds.sizes import DEFAULT_SIZE, MAX_INSTANCES, SizeName


class ScalingSpec(Shape):
    project: str = immutable(max_length=30)
    process: str = immutable(default="web", pattern=PROCESS_NAME)
    instances: int = Field(default=1, ge=0, le=MAX_INSTANCES)
    size: SizeName = DEFAULT_SIZE


class Decision(Shape):
    """The last change of the count, and why."""

    at: datetime
    instances: int
    reason: str = ""


class ScalingStatus(Status):
    desired: int = 0
    ready: int = 0
    selector: str | None = None
    last: Decision | None = None


class Scaling(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "scalings", "Scaling")
    short_names: ClassVar[list[str]] = ["scl"]
    scale: ClassVar[ScalePaths] = ScalePaths(".spec.instances", ".status.ready", ".status.selector")
    columns: ClassVar[list[Column]] = [
        Column("Project", ".spec.project"),
        Column("Process", ".spec.process"),
        Column("Instances", ".spec.instances", "integer"),
        Column("Ready", ".status.ready", "integer"),
        Column("Size", ".spec.size"),
        Column("Schedulable", '.status.conditions[?(@.type=="Schedulable")].status', priority=1),
    ]
    spec: ScalingSpec
    status: ScalingStatus = Field(default_factory=ScalingStatus)
