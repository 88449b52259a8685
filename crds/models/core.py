"""The few built-in Kubernetes kinds that Setpoint reads and writes."""

import base64
from datetime import datetime
from typing import Any, ClassVar

from pydantic import Field, field_serializer

from crds.models.record import Record, Resource, Shape


class Namespace(Record):
    resource: ClassVar[Resource] = Resource("", "v1", "namespaces", "Namespace", namespaced=False)


class Secret(Record):
    """`data` is base64 on the wire; `values()` reads it as text."""

    resource: ClassVar[Resource] = Resource("", "v1", "secrets", "Secret")
    type: str = "Opaque"
    immutable: bool | None = None
    data: dict[str, str] = Field(default_factory=dict, repr=False)

    def values(self) -> dict[str, str]:
        return {key: base64.b64decode(value).decode() for key, value in self.data.items()}

    @staticmethod
    def encode(values: dict[str, str]) -> dict[str, str]:
        return {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}


class LeaseSpec(Shape):
    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: datetime | None = None
    renew_time: datetime | None = None
    lease_transitions: int | None = None

    @field_serializer("acquire_time", "renew_time", when_used="json-unless-none")
    def _micro(self, value: datetime) -> str:
        # MicroTime: exactly six decimals, or the API server refuses the body.
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Lease(Record):
    """Who holds a role, or that a node is alive."""

    resource: ClassVar[Resource] = Resource("coordination.k8s.io", "v1", "leases", "Lease")
    spec: LeaseSpec = Field(default_factory=LeaseSpec)


class CustomResourceDefinition(Record):
    resource: ClassVar[Resource] = Resource(
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions",
        "CustomResourceDefinition",
        namespaced=False,
    )
    spec: dict[str, Any] = Field(default_factory=dict)
    status: dict[str, Any] = Field(default_factory=dict)
