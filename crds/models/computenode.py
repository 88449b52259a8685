"""ComputeNode: one share of a machine that runs instances and builds. Its heartbeat is the Lease of the same name."""

from typing import ClassVar

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status


class ComputeNodeSpec(Shape):
    pool: str = Field(default="default", max_length=63)
    cordoned: bool = False
    drain: bool = False


class Resources(Shape):
    """CPU in cores, memory in bytes, instances as a count."""

    cpu: float = 0.0
    memory_bytes: int = 0
    instances: int = 0


class ComputeNodeStatus(Status):
    phase: str | None = None
    capacity: Resources = Field(default_factory=Resources)
    allocatable: Resources = Field(default_factory=Resources)
    endpoint: str | None = Field(default=None, description="https://host:port of the agent: logs and live figures")
    sandbox: str | None = Field(default=None, description="What walls stand, in a word; the condition says why")
    network: str | None = None
    limits: str | None = None
    version: str | None = None


class ComputeNode(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "computenodes", "ComputeNode", namespaced=False)
    short_names: ClassVar[list[str]] = ["cn"]
    columns: ClassVar[list[Column]] = [
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Pool", ".spec.pool"),
        Column("CPU", ".status.allocatable.cpu", "number"),
        Column("Sandbox", ".status.sandbox"),
        Column("Network", ".status.network"),
        Column("Limits", ".status.limits"),
        Column("Cordoned", ".spec.cordoned", "boolean", priority=1),
        Column("Endpoint", ".status.endpoint", priority=1),
        Column("Version", ".status.version", priority=1),
    ]
    spec: ComputeNodeSpec = Field(default_factory=ComputeNodeSpec)
    status: ComputeNodeStatus = Field(default_factory=ComputeNodeStatus)
