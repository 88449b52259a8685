"""A CustomResourceDefinition to the `Resource` that serves it."""

import logging

from cluster.apiserver.kinds.model import Column, Resource, ScalePaths, Version
from cluster.apiserver.kinds.schemas import METADATA
from cluster.apiserver.kinds.strategy import Strategy
from cluster.apiserver.output.jsonpath import compile_path
from cluster.apiserver.schema.compile import compile_schema, compiled
from cluster.apiserver.schema.node import Node
from cluster.apiserver.types import Json

AGE = Column("Age", "date", compile_path(".metadata.creationTimestamp"))
COMPILED_METADATA = compile_schema(METADATA)

log = logging.getLogger(__name__)


class CustomStrategy(Strategy):
    """Selects by the fields that the CRD's storage version names as selectable."""

    def __init__(self, selectable: tuple[str, ...]) -> None:
        self._selectable = selectable

    def selectable(self, obj: Json, field: str) -> str | None:
        if field not in self._selectable:
            return None
        value: object = obj
        for name in field.split("."):
            value = value.get(name, "") if isinstance(value, dict) else ""
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value)

    @property
    def selectable_fields(self) -> tuple[str, ...]:
        return self._selectable


def resource_of(definition: Json, names: Json) -> Resource:
    """`names` are those that the definition was given, which may be others than it wants by now."""
    spec = definition["spec"]
    versions = {
        v["name"]: _version(v, _deprecation(v, spec))
        for v in sorted(spec["versions"], key=lambda v: version_order(v["name"]))
    }
    storage = next(v["name"] for v in spec["versions"] if v.get("storage"))
    return Resource(
        group=spec["group"],
        plural=spec["names"]["plural"],
        singular=names.get("singular") or names["kind"].lower(),
        kind=names["kind"],
        list_kind=names.get("listKind") or names["kind"] + "List",
        namespaced=spec["scope"] == "Namespaced",
        versions=versions,
        storage_version=storage,
        strategy=CustomStrategy(versions[storage].selectable),
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        custom=True,
    )


def whole(node: Node) -> Node:
    """The schema of a kind with what every object has."""
    node.properties = {
        **node.properties,
        "apiVersion": Node("string"),
        "kind": Node("string"),
        "metadata": COMPILED_METADATA,
    }
    return node


def version_order(name: str) -> tuple[int, int, int, str]:
    """Sorts versions best first: v2, v1, v1beta2, v1beta1, v2alpha1, then others by name."""
    for rank, stage in ((1, "beta"), (2, "alpha")):
        major, found, minor = name.removeprefix("v").partition(stage)
        if found and major.isdigit() and minor.isdigit():
            return (rank, -int(major), -int(minor), name)
    number = name.removeprefix("v")
    return (0, -int(number), 0, name) if name.startswith("v") and number.isdigit() else (3, 0, 0, name)


def _deprecation(raw: Json, spec: Json) -> str:
    """What whoever uses the version is told, "" for nothing."""
    told = f"{spec['group']}/{raw['name']} {spec['names']['kind']} is deprecated"
    return (raw.get("deprecationWarning") or told) if raw.get("deprecated") else ""


def _version(raw: Json, deprecation: str) -> Version:
    schema: Json = raw["schema"]["openAPIV3Schema"]
    subresources = raw.get("subresources") or {}
    return Version(
        name=raw["name"],
        schema=whole(compiled(schema)),
        openapi=schema,
        columns=_columns(raw.get("additionalPrinterColumns") or []) or (AGE,),
        has_status="status" in subresources,
        scale=_scale(subresources.get("scale")),
        selectable=tuple(field["jsonPath"].lstrip(".") for field in raw.get("selectableFields") or []),
        served=bool(raw.get("served")),
        deprecation=deprecation,
    )


def _columns(raw: list[Json]) -> tuple[Column, ...]:
    """None of them if the path of one cannot be read: its definition was accepted, and its objects are to be shown."""
    try:
        return tuple(_column(column) for column in raw)
    except ValueError as error:
        log.warning("the default columns are shown: %s", error)
        return ()


def _column(raw: Json) -> Column:
    return Column(
        name=raw["name"],
        type=raw["type"],
        path=compile_path(raw["jsonPath"]),
        format=raw.get("format", ""),
        description=raw.get("description")
        or f"Custom resource definition column (in JSONPath format): {raw['jsonPath']}",
        priority=raw.get("priority", 0),
    )


def _scale(raw: Json | None) -> ScalePaths | None:
    if raw is None:
        return None
    selector = raw.get("labelSelectorPath", "")
    return ScalePaths(_names(raw["specReplicasPath"]), _names(raw["statusReplicasPath"]), _names(selector))


def _names(path: str) -> tuple[str, ...]:
    return tuple(path.strip(".").split(".")) if path else ()
