"""Domain: a hostname under which a project is to be served, beside its own address."""

from typing import ClassVar, Literal

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status, immutable


class DomainSpec(Shape):
    project: str = immutable(max_length=30)
    hostname: str = immutable(max_length=253)
    type: Literal["custom", "alias"] = "custom"


class DnsRecord(Shape):
    """What the owner of the name has to set."""

    type: str
    name: str
    value: str


class DomainStatus(Status):
    phase: Literal["pending", "active", "failed"] | None = None
    tls: Literal["none", "pending", "active", "failed"] | None = None
    dns: DnsRecord | None = None
    error: str | None = None


class Domain(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "domains", "Domain")
    short_names: ClassVar[list[str]] = ["dom"]
    columns: ClassVar[list[Column]] = [
        Column("Hostname", ".spec.hostname"),
        Column("Project", ".spec.project"),
        Column("Status", ".status.phase"),
        Column("TLS", ".status.tls"),
        Column("Error", ".status.error", priority=1),
    ]
    spec: DomainSpec
    status: DomainStatus = Field(default_factory=DomainStatus)
