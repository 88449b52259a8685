"""The OpenAPI v3 document of one group version."""

from typing import Any

from cluster.apiserver.kinds.model import Resource, Version
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.kinds.schemas import METADATA
from cluster.apiserver.types import Json

META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
LIST_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"
TYPE_HELP = {
    "apiVersion": "APIVersion defines the versioned schema of this representation of an object.",
    "kind": "Kind is a string value representing the REST resource this object represents.",
    "metadata": "Standard object's metadata.",
}
METHODS: dict[str, tuple[tuple[str, str], ...]] = {
    "collection": (("get", "list"), ("post", "post"), ("delete", "deletecollection")),
    "object": (("get", "get"), ("put", "put"), ("patch", "patch"), ("delete", "delete")),
    "subresource": (("get", "get"), ("put", "put"), ("patch", "patch")),
}
VALIDATED = ("post", "put", "patch")


def document(registry: Registry, group: str, version: str) -> Json:
    schemas: Json = {
        META: {
            "type": "object",
            "description": "Metadata that every object has.",
            "properties": METADATA["properties"],
        },
        LIST_META: {
            "type": "object",
            "properties": {"resourceVersion": {"type": "string"}, "continue": {"type": "string"}},
        },
    }
    paths: Json = {}
    for resource in registry:
        served = resource.versions.get(version)
        if resource.group == group and served is not None and served.served:
            name = schema_name(resource, version)
            schemas[name] = object_schema(resource, served)
            schemas[name + "List"] = _list_schema(resource, version, name)
            paths.update(_paths(resource, served, name))
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.33.0"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def second_document(registry: Registry) -> Json:
    """Swagger 2.0: what is served and which options it takes, without schemas of requests."""
    paths: Json = {}
    for resource in registry:
        for version in resource.versions.values():
            if version.served:
                paths.update(_second_paths(resource, version))
    info = {"title": "Kubernetes", "version": "v1.33.0"}
    return {"swagger": "2.0", "info": info, "paths": paths, "definitions": {}}


def _second_paths(resource: Resource, version: Version) -> Json:
    collection = collection_path(resource, version.name)
    shapes = {collection: "collection", f"{collection}/{{name}}": "object"}
    return {path: _second_operations(shape, resource, version.name) for path, shape in shapes.items()}


def _second_operations(shape: str, resource: Resource, version: str) -> Json:
    found: Json = {}
    for method, action in METHODS[shape]:
        parameters = [{"name": p["name"], "in": "query", **p["schema"]} for p in query_parameters(method)]
        found[method] = {
            "parameters": parameters,
            "responses": {"200": {"description": "OK"}},
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": _kind(resource, version),
        }
    return found


def schema_name(resource: Resource, version: str) -> str:
    """Like dev.setpoint.v1.Project."""
    reverse = ".".join(reversed(resource.group.split("."))) if resource.group else "io.k8s.api.core"
    return f"{reverse}.{version}.{resource.kind}"


def object_schema(resource: Resource, version: Version) -> Json:
    properties: Json = {
        "apiVersion": {"type": "string", "description": TYPE_HELP["apiVersion"]},
        "kind": {"type": "string", "description": TYPE_HELP["kind"]},
        "metadata": {
            "description": TYPE_HELP["metadata"],
            "allOf": [{"$ref": f"#/components/schemas/{META}"}],
            "default": {},
        },
    }
    declared: Json = version.openapi.get("properties") or {}
    properties.update({name: below for name, below in declared.items() if name not in properties})
    return {
        **{name: value for name, value in version.openapi.items() if name not in ("properties", "type")},
        "type": "object",
        "properties": properties,
        "x-kubernetes-group-version-kind": [_kind(resource, version.name)],
    }


def _list_schema(resource: Resource, version: str, name: str) -> Json:
    return {
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"allOf": [{"$ref": f"#/components/schemas/{LIST_META}"}]},
            "items": {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}},
        },
        "x-kubernetes-group-version-kind": [{**_kind(resource, version), "kind": resource.list_kind}],
    }


def _kind(resource: Resource, version: str) -> Json:
    return {"group": resource.group, "kind": resource.kind, "version": version}


def collection_path(resource: Resource, version: str) -> str:
    root = f"/apis/{resource.group}/{version}" if resource.group else f"/api/{version}"
    return f"{root}/namespaces/{{namespace}}/{resource.plural}" if resource.namespaced else f"{root}/{resource.plural}"


def _paths(resource: Resource, version: Version, name: str) -> Json:
    collection = collection_path(resource, version.name)
    paths = {
        collection: _operations("collection", resource, version.name, name),
        f"{collection}/{{name}}": _operations("object", resource, version.name, name),
    }
    if version.has_status:
        paths[f"{collection}/{{name}}/status"] = _operations("subresource", resource, version.name, name)
    return paths


def _operations(shape: str, resource: Resource, version: str, name: str) -> Json:
    found: Json = {"parameters": _path_parameters(shape, resource)}
    for method, action in METHODS[shape]:
        found[method] = _operation(method, action, resource, version, name)
    return found


def _operation(method: str, action: str, resource: Resource, version: str, name: str) -> Json:
    body: Json = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    operation: Json = {
        "operationId": f"{action}{version.capitalize()}{resource.kind}",
        "parameters": query_parameters(method),
        "responses": {"200": {"description": "OK", "content": body}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _kind(resource, version),
    }
    if method in VALIDATED:
        operation["requestBody"] = {"content": body, "required": True}
    return operation


def query_parameters(method: str) -> list[Json]:
    names = ["pretty"]
    if method in (*VALIDATED, "delete"):
        names.append("dryRun")
    if method in VALIDATED:
        names += ["fieldManager", "fieldValidation"]
    if method == "patch":
        names.append("force")
    return [_parameter(name) for name in names]


def _parameter(name: str) -> Json:
    kind: Any = "boolean" if name == "force" else "string"
    return {"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": True}}


def _path_parameters(shape: str, resource: Resource) -> list[Json]:
    names = ["namespace"] if resource.namespaced else []
    if shape != "collection":
        names.append("name")
    return [
        {"name": n, "in": "path", "required": True, "schema": {"type": "string", "uniqueItems": True}} for n in names
    ]
