"""The OpenAPI v3 document of one group version."""

from cluster.apiserver.kinds.model import Resource, Version
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.openapi.metadata import (
    LIST_META,
    OBJECT_META,
    TYPE_META,
    kind_of,
    nested,
    reference,
    scaling,
    shared,
)
from cluster.apiserver.openapi.paths import paths
from cluster.apiserver.openapi.structure import shown
from cluster.apiserver.types import Json

_ABOUT = {"title": "Kubernetes", "version": "1.36"}
_ABOUT_CUSTOM = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}


def document(registry: Registry, group: str, version: str) -> Json:
    served = [(each, each.versions[version]) for each in registry if _serves(each, group, version)]
    schemas = shared([(name, each) for name, versions in registry.groups().items() for each in versions])
    if any(told.scale for _, told in served):
        schemas.update(scaling())
    addresses: Json = {}
    for resource, told in served:
        name = schema_name(resource, version)
        schemas[name] = _object_schema(resource, told)
        schemas[name + "List"] = _list_schema(resource, version, name)
        addresses.update(paths(resource, told, name))
    about = _ABOUT_CUSTOM if any(resource.custom for resource, _ in served) else _ABOUT
    return {"openapi": "3.0.0", "info": about, "paths": addresses, "components": {"schemas": schemas}}


def _serves(resource: Resource, group: str, version: str) -> bool:
    told = resource.versions.get(version)
    return resource.group == group and told is not None and told.served


def schema_name(resource: Resource, version: str) -> str:
    """Like dev.setpoint.v1.Project."""
    reverse = ".".join(reversed(resource.group.split("."))) if resource.group else "io.k8s.api.core"
    return f"{reverse}.{version}.{resource.kind}"


def _object_schema(resource: Resource, version: Version) -> Json:
    properties: Json = {**TYPE_META, "metadata": nested(OBJECT_META, "Name, labels, owners and the like.")}
    told = shown(version.openapi)
    declared: Json = told.get("properties") or {}
    properties.update({name: below for name, below in declared.items() if name not in properties})
    return {
        **{name: value for name, value in told.items() if name not in ("properties", "type")},
        "type": "object",
        "properties": properties,
        "x-kubernetes-group-version-kind": [kind_of(resource.group, version.name, resource.kind)],
    }


def _list_schema(resource: Resource, version: str, name: str) -> Json:
    return {
        "type": "object",
        "required": ["items"],
        "properties": {
            **TYPE_META,
            "metadata": nested(LIST_META),
            "items": {"type": "array", "items": reference(name)},
        },
        "x-kubernetes-group-version-kind": [kind_of(resource.group, version, resource.list_kind)],
    }
