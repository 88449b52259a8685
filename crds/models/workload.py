"""Workload: one process of one deploy, to be run so many times. Immutable but for replicas and size."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from crds.models.project import PROCESS_NAME, SIBLING, Health, Volume
from crds.models.record import GROUP, VERSION, Column, Record, Resource, ScalePaths, Shape, Status, immutable
from crds.sizes import DEFAULT_SIZE, MAX_INSTANCES, SizeName


class WorkloadSpec(Shape):
    runner: Literal["local", "kubernetes"] = immutable(default="local")
    project: str = immutable(max_length=30)
    deploy: str = immutable(max_length=253)
    process: str = immutable(pattern=PROCESS_NAME)
    artifact: str = immutable(max_length=512, description="sha256:<hex>, or an image")
    runtime: str = immutable(default="")
    command: str = immutable(max_length=4096)
    commit: str = immutable(default="", max_length=64)
    served: bool = immutable(default=False, description="Listens on PORT and gets traffic")
    snapshot: str = immutable(default="", description="Name of the Secret with the variables")
    health: Health = Field(default_factory=Health)
    drain_seconds: int = immutable(default=10)
    stop_grace_seconds: int = immutable(default=10)
    volumes: list[Volume] = Field(default_factory=list)
    siblings: list[Annotated[str, Field(max_length=30, pattern=SIBLING)]] = Field(default_factory=list, max_length=50)
    replicas: int = Field(default=1, ge=0, le=MAX_INSTANCES)
    size: SizeName = DEFAULT_SIZE


class Trouble(Shape):
    """What keeps an instance of it from being ready, or is held back while it is."""

    reason: str
    message: str = Field(max_length=1000)
    instance: str
    node: str | None = None
    final: bool = Field(default=False, description="More waiting will not help (it crashed again and again)")


class WorkloadStatus(Status):
    desired: int = 0
    scheduled: int = 0
    running: int = 0
    ready: int = 0
    trouble: Trouble | None = None


class Workload(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "workloads", "Workload")
    short_names: ClassVar[list[str]] = ["wl"]
    scale: ClassVar[ScalePaths] = ScalePaths(".spec.replicas", ".status.ready")
    columns: ClassVar[list[Column]] = [
        Column("Project", ".spec.project"),
        Column("Process", ".spec.process"),
        Column("Desired", ".spec.replicas", "integer"),
        Column("Ready", ".status.ready", "integer"),
        Column("Size", ".spec.size"),
        Column("Schedulable", '.status.conditions[?(@.type=="Schedulable")].status', priority=1),
        Column("Trouble", ".status.trouble.message", priority=1),
    ]
    spec: WorkloadSpec
    status: WorkloadStatus = Field(default_factory=WorkloadStatus)
