"""What every record has: metadata, conditions, and the way a kind describes itself."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

GROUP = "setpoint.dev"
VERSION = "v1"


class Shape(BaseModel):
    """A part of a record; snake_case here, camelCase on the wire. Unknown fields of a newer server are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")

    def wire(self) -> dict[str, Any]:
        """The JSON object, without what is absent."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class OwnerReference(Shape):
    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class Metadata(Shape):
    """Kubernetes' ObjectMeta, as far as Setpoint reads it."""

    name: str = ""
    namespace: str | None = None
    uid: str = ""
    resource_version: str | None = None
    generation: int = 0
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)
    finalizers: list[str] = Field(default_factory=list)
    owner_references: list[OwnerReference] = Field(default_factory=list)
    managed_fields: list[dict[str, Any]] | None = None


class Condition(Shape):
    """One observation in the Kubernetes convention."""

    type: str = Field(max_length=316)
    status: Literal["True", "False", "Unknown"]
    reason: str = Field(default="", max_length=1024)
    message: str = Field(default="", max_length=32768)
    last_transition_time: datetime
    observed_generation: int = 0


class Status(Shape):
    """What every status carries."""

    observed_generation: int = 0
    conditions: list[Condition] = Field(
        default_factory=list,
        json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]},
    )


@dataclass(frozen=True)
class Column:
    """One column of `kubectl get`; `path` is a JSONPath, priority 1 shows with `-o wide` only."""

    name: str
    path: str
    type: Literal["string", "integer", "number", "boolean", "date"] = "string"
    priority: int = 0


@dataclass(frozen=True)
class ScalePaths:
    """Where the scale subresource finds its numbers."""

    replicas: str
    ready: str
    selector: str | None = None


@dataclass(frozen=True)
class Resource:
    """Where the API serves a kind."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """The URL path of the collection (of one namespace, or of all), or of one object."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        if self.namespaced and namespace:
            root += f"/namespaces/{namespace}"
        return f"{root}/{self.plural}" + (f"/{name}" if name else "")


class Record(Shape):
    """A Kubernetes object. A sub-class says where it is served (`resource`) and narrows its spec and status."""

    resource: ClassVar[Resource]

    api_version: str = ""
    kind: str = ""
    metadata: Metadata = Field(default_factory=Metadata)

    def model_post_init(self, _context: Any, /) -> None:
        # Built-in lists leave both out of their items; records built here never name them twice.
        self.api_version = self.api_version or self.resource.api_version
        self.kind = self.kind or self.resource.kind

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def namespace(self) -> str:
        return self.metadata.namespace or ""

    @property
    def uid(self) -> str:
        return self.metadata.uid

    @property
    def key(self) -> tuple[str, str]:
        """(namespace, name): what names a record within its kind."""
        return (self.namespace, self.name)

    @property
    def deleting(self) -> bool:
        return self.metadata.deletion_timestamp is not None

    def owner_reference(self) -> OwnerReference:
        """What a child carries so that it goes when this record goes."""
        return OwnerReference(
            api_version=self.api_version, kind=self.kind, name=self.name, uid=self.uid, controller=True
        )

    @classmethod
    def parse(cls, data: dict[str, Any]) -> Self:
        return cls.model_validate(data)


def immutable(**field: Any) -> Any:
    """A field that may not change after creation. It always has a value (required, or a default that is not null),
    so that the rule on it also catches one that is added or dropped later."""
    rule: dict[str, JsonValue] = {"rule": "self == oldSelf", "message": "cannot be changed once the record is made"}
    return Field(json_schema_extra={"x-kubernetes-validations": [rule]}, **field)


def named_list(*rules: dict[str, JsonValue], **field: Any) -> Any:
    """A list whose items are told apart by `name`, so that two writers can own different items. `rules` hold for all of
    it (CEL: rule, message)."""
    extra: dict[str, JsonValue] = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    if rules:
        extra["x-kubernetes-validations"] = list(rules)
    return Field(default_factory=list, json_schema_extra=extra, **field)
