"""Route: under which hostnames a project is served, and by which deploy. One write of it is the cut-over."""

from typing import ClassVar

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status

CROWDED = "Crowded"
"""Why a Route is Ready and refuses some requests all the same: as many are open as may be."""


class RouteSpec(Shape):
    project: str = Field(max_length=30)
    hostnames: list[str] = Field(
        default_factory=list, max_length=200, json_schema_extra={"x-kubernetes-list-type": "set"}
    )
    deploy: str = Field(default="", description="Name of the active Deploy; empty: none was released yet")
    workload: str = Field(default="", description="Name of the Workload that answers")


class RouteStatus(Status):
    served_by: str | None = Field(default=None, description="Name of the Workload that traffic really goes to")


class Route(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "routes", "Route")
    columns: ClassVar[list[Column]] = [
        Column("Hostnames", ".spec.hostnames"),
        Column("Workload", ".spec.workload"),
        Column("Served-By", ".status.servedBy"),
    ]
    spec: RouteSpec
    status: RouteStatus = Field(default_factory=RouteStatus)
