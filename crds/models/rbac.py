"""Who may do what at the Kubernetes API: the built-in kinds of RBAC that Setpoint writes."""

from typing import ClassVar

from pydantic import Field

from crds.models.record import Record, Resource, Shape

RBAC = "rbac.authorization.k8s.io"


class ServiceAccount(Record):
    resource: ClassVar[Resource] = Resource("", "v1", "serviceaccounts", "ServiceAccount")


class PolicyRule(Shape):
    """Empty `resource_names` mean any."""

    api_groups: list[str]
    resources: list[str]
    verbs: list[str]
    resource_names: list[str] | None = None


class Subject(Shape):
    kind: str
    name: str
    namespace: str | None = None
    api_group: str | None = None


class RoleReference(Shape):
    kind: str
    name: str
    api_group: str = RBAC


class Role(Record):
    resource: ClassVar[Resource] = Resource(RBAC, "v1", "roles", "Role")
    rules: list[PolicyRule] | None = None


class ClusterRole(Record):
    resource: ClassVar[Resource] = Resource(RBAC, "v1", "clusterroles", "ClusterRole", namespaced=False)
    rules: list[PolicyRule] | None = None


class RoleBinding(Record):
    resource: ClassVar[Resource] = Resource(RBAC, "v1", "rolebindings", "RoleBinding")
    role_ref: RoleReference
    subjects: list[Subject] = Field(default_factory=list)


class ClusterRoleBinding(Record):
    resource: ClassVar[Resource] = Resource(RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding", namespaced=False)
    role_ref: RoleReference
    subjects: list[Subject] = Field(default_factory=list)
