"""Account: the tenant. Named by its handle; its records live in the namespace `acc-<handle>`."""

from typing import Annotated, ClassVar

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status

_BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_NETWORK = rf"^({_BYTE}\.){{3}}{_BYTE}/(3[0-2]|[12]?[0-9])$"


class Quota(Shape):
    """Upper limits of the account; absent means the installation's default."""

    projects: int | None = Field(default=None, ge=0)
    instances: int | None = Field(default=None, ge=0)


class Egress(Shape):
    """What the account's projects may reach although it is not of the public internet."""

    allow: list[Annotated[str, Field(max_length=18, pattern=_NETWORK)]] = Field(
        default_factory=list, max_length=100, description="Networks, such as 10.1.0.0/16"
    )


class AccountSpec(Shape):
    display_name: str = Field(default="", max_length=200)
    parent: str = Field(default="", max_length=20, description="Handle of the parent account")
    plan: str = Field(default="free", max_length=40)
    operator: bool = Field(default=False, description="May manage nodes and see the machine as a whole")
    suspended: bool = False
    quota: Quota = Field(default_factory=Quota)
    egress: Egress = Field(default_factory=Egress)


class AccountStatus(Status):
    namespace: str | None = None
    phase: str | None = None
    rights: str = Field(default="", description="Which bindings its namespace was given, so that new ones are noticed")


class Account(Record):
    resource: ClassVar[Resource] = Resource(GROUP, VERSION, "accounts", "Account", namespaced=False)
    columns: ClassVar[list[Column]] = [
        Column("Display name", ".spec.displayName"),
        Column("Plan", ".spec.plan"),
        Column("Status", ".status.phase"),
        Column("Namespace", ".status.namespace", priority=1),
        Column("Operator", ".spec.operator", "boolean", priority=1),
    ]
    spec: AccountSpec = Field(default_factory=AccountSpec)
    status: AccountStatus = Field(default_factory=AccountStatus)
