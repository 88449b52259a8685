"""HostClaim: who has a hostname, on the whole installation. Named by the hostname's hash, so one name has one claim."""

from typing import ClassVar

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status, immutable


class HostClaimSpec(Shape):
    hostname: str = immutable(max_length=253)
    namespace: str = immutable(max_length=63)
    project: str = immutable(max_length=30)
    domain: str = immutable(max_length=253, description="Name of the Domain that holds the claim")
    domain_uid: str = immutable(max_length=36)


class HostClaim(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "hostclaims", "HostClaim", namespaced=False)
    columns: ClassVar[list[Column]] = [
        Column("Hostname", ".spec.hostname"),
        Column("Namespace", ".spec.namespace"),
        Column("Project", ".spec.project"),
    ]
    spec: HostClaimSpec
    status: Status = Field(default_factory=Status)
