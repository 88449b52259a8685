"""A resource and its versions, as every verb sees them."""

from __future__ import annotations

from dataclasses import dataclass, field

from cluster.apiserver.kinds.strategy import Strategy
from cluster.apiserver.schema.node import Node
from cluster.apiserver.types import Json

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the Table output; `path` is a JSON path or, for built-in kinds, empty."""

    name: str
    type: str
    path: tuple[str, ...] = ()
    format: str = ""
    description: str = ""
    priority: int = 0


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """Where the scale subresource finds its figures, as paths of field names."""

    spec: tuple[str, ...]
    status: tuple[str, ...]
    selector: tuple[str, ...] = ()


@dataclass(eq=False, slots=True)
class Version:
    """One served version of a resource."""

    name: str
    schema: Node
    openapi: Json
    columns: tuple[Column, ...] = ()
    has_status: bool = False
    scale: ScalePaths | None = None
    selectable: tuple[str, ...] = ()
    served: bool = True
    deprecation: str = ""


@dataclass(eq=False, slots=True)
class Resource:
    """`id` names its table in the store: plural.group, or the plural alone in the core group."""

    group: str
    plural: str
    singular: str
    kind: str
    list_kind: str
    namespaced: bool
    versions: dict[str, Version]
    storage_version: str
    strategy: Strategy
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    custom: bool = False
    id: str = field(init=False)

    def __post_init__(self) -> None:
        self.id = f"{self.plural}.{self.group}" if self.group else self.plural

    def api_version(self, version: str) -> str:
        return f"{self.group}/{version}" if self.group else version


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What a request is about."""

    resource: Resource
    version: Version
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def api_version(self) -> str:
        return self.resource.api_version(self.version.name)
