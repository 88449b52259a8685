"""The table of built-in kinds: a plain list, made once."""

from cluster.apiserver.access.rbac import GROUP as RBAC
from cluster.apiserver.kinds import access_schemas, schemas
from cluster.apiserver.kinds.builtin.data import ConfigMapStrategy, SecretStrategy
from cluster.apiserver.kinds.builtin.definitions import DefinitionStrategy
from cluster.apiserver.kinds.builtin.events import EventStrategy, LeaseStrategy
from cluster.apiserver.kinds.builtin.json_schema import carry_schemas
from cluster.apiserver.kinds.builtin.namespaces import NamespaceStrategy
from cluster.apiserver.kinds.builtin.roles import BindingStrategy, RoleStrategy
from cluster.apiserver.kinds.builtin.service_accounts import ServiceAccountStrategy
from cluster.apiserver.kinds.custom import whole
from cluster.apiserver.kinds.model import ALL_VERBS, Column, Resource, Version
from cluster.apiserver.kinds.strategy import Strategy
from cluster.apiserver.schema.compile import compile_schema
from cluster.apiserver.types import Json

DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
NAMESPACES = "namespaces"
SECRETS = "secrets"
EVENTS = "events"
SERVICE_ACCOUNTS = "serviceaccounts"

AGE = Column("Age", "string")

NAMESPACE_COLUMNS = (Column("Status", "string", ("status", "phase")), AGE)
SECRET_COLUMNS = (Column("Type", "string", ("type",)), Column("Data", "string"), AGE)
CONFIG_MAP_COLUMNS = (Column("Data", "string"), AGE)
LEASE_COLUMNS = (Column("Holder", "string", ("spec", "holderIdentity")), AGE)
CREATED_HELP = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed "
    "to be set in happens-before order across separate operations. Clients may not set this value. It is represented "
    "in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)
ROLE_COLUMNS = (Column("Created At", "date", ("metadata", "creationTimestamp")),)
BINDING_COLUMNS = (
    Column("Role", "string"),
    AGE,
    Column("Users", "string", priority=1),
    Column("Groups", "string", priority=1),
    Column("ServiceAccounts", "string", priority=1),
)
DEFINITION_COLUMNS = (Column("Created At", "date", ("metadata", "creationTimestamp"), description=CREATED_HELP),)
EVENT_COLUMNS = (
    Column("Last Seen", "string"),
    Column("Type", "string", ("type",)),
    Column("Reason", "string", ("reason",)),
    Column("Object", "string"),
    Column("Subobject", "string", ("involvedObject", "fieldPath"), priority=1),
    Column("Source", "string", priority=1),
    Column("Message", "string", ("message",)),
    Column("First Seen", "string", priority=1),
    Column("Count", "string", priority=1),
    Column("Name", "string", ("metadata", "name"), format="name", priority=1),
)


def built_in_resources() -> list[Resource]:
    single = tuple(verb for verb in ALL_VERBS if verb != "deletecollection")
    crd = "CustomResourceDefinition"
    definitions = _resource(
        "apiextensions.k8s.io", "customresourcedefinitions", crd, schemas.CRD, DefinitionStrategy(), DEFINITION_COLUMNS,
        ("crd", "crds"), namespaced=False, has_status=True, categories=("api-extensions",),
    )  # fmt: skip
    carry_schemas(definitions.versions["v1"].schema)
    return [
        _resource("", "namespaces", "Namespace", schemas.NAMESPACE, NamespaceStrategy(), NAMESPACE_COLUMNS,
                  ("ns",), namespaced=False, has_status=True, verbs=single),
        _resource("", "secrets", "Secret", schemas.SECRET, SecretStrategy(), SECRET_COLUMNS),
        _resource("", "configmaps", "ConfigMap", schemas.CONFIG_MAP, ConfigMapStrategy(), CONFIG_MAP_COLUMNS, ("cm",)),
        _resource("", "events", "Event", schemas.EVENT, EventStrategy(), EVENT_COLUMNS, ("ev",)),
        definitions,
        _resource("coordination.k8s.io", "leases", "Lease", schemas.LEASE, LeaseStrategy(), LEASE_COLUMNS),
        _resource("", SERVICE_ACCOUNTS, "ServiceAccount", access_schemas.SERVICE_ACCOUNT, ServiceAccountStrategy(),
                  (AGE,), ("sa",)),
        *_rights(),
    ]  # fmt: skip


def _rights() -> list[Resource]:
    role, binding = access_schemas.ROLE, access_schemas.BINDING
    of_namespace, of_all = RoleStrategy(of_namespace=True), RoleStrategy(of_namespace=False)
    either, cluster = BindingStrategy("ClusterRole", "Role"), BindingStrategy("ClusterRole")
    return [
        _resource(RBAC, "clusterrolebindings", "ClusterRoleBinding", binding, cluster, BINDING_COLUMNS,
                  namespaced=False),
        _resource(RBAC, "clusterroles", "ClusterRole", role, of_all, ROLE_COLUMNS, namespaced=False),
        _resource(RBAC, "rolebindings", "RoleBinding", binding, either, BINDING_COLUMNS),
        _resource(RBAC, "roles", "Role", role, of_namespace, ROLE_COLUMNS),
    ]  # fmt: skip


def _resource(
    group: str,
    plural: str,
    kind: str,
    schema: Json,
    strategy: Strategy,
    columns: tuple[Column, ...],
    short_names: tuple[str, ...] = (),
    *,
    namespaced: bool = True,
    has_status: bool = False,
    categories: tuple[str, ...] = (),
    verbs: tuple[str, ...] = ALL_VERBS,
) -> Resource:
    version = "v1"
    served = Version(version, whole(compile_schema(schema)), schema, columns, has_status=has_status)
    return Resource(
        group, plural, kind.lower(), kind, kind + "List", namespaced, {version: served}, version, strategy,
        short_names, categories, verbs,
    )  # fmt: skip
