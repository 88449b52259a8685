"""Account: the tenant. Named by its handle; its records live in the namespace `acc-<handle>`."""

from typing import ClassVar

from pydantic import Field

from crds.models.record import GROUP, VERSION, Column, Record, Resource, Shape, Status


class Quota(Shape):
    """Upper limits of the account; absent means the installation's default."""

    projects: int | None = Field(default=None, ge=0)
    instances: int | None = Field(default=None, ge=0)


class AccountSpec(Shape):
    display_name: str = Field(default="", max_length=200)
    parent: str = Field(default="", max_length=20, description="Handle of the parent account")
    plan: str = Field(default="free", max_length=40)
    operator: bool = Field(default=False, description="May manage nodes and see the machine as a whole")
    suspended: bool = False
    quota: Quota = Field(default_factory=Quota)


class AccountStatus(Status):
    namespace: str | None = None
    phase: str | None = None


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
