"""The one document of version 2: what is served and which options it takes, without schemas of requests."""

from cluster.apiserver.kinds.model import Resource, Version
from cluster.apiserver.kinds.registry import Registry
from cluster.apiserver.openapi.metadata import kind_of
from cluster.apiserver.openapi.paths import collection_path, query_parameters
from cluster.apiserver.types import Json

_COLLECTION = (("get", "list"), ("post", "post"), ("delete", "deletecollection"))
_OBJECT = (("get", "get"), ("put", "put"), ("patch", "patch"), ("delete", "delete"))
INFO = {"title": "Kubernetes", "version": "v1.36"}


def second_document(registry: Registry) -> Json:
    paths: Json = {}
    for resource in registry:
        for version in resource.versions.values():
            if version.served:
                paths.update(_paths(resource, version))
    return {"swagger": "2.0", "info": INFO, "paths": paths, "definitions": {}}


def _paths(resource: Resource, version: Version) -> Json:
    collection = collection_path(resource, version.name)
    shapes = {collection: _COLLECTION, f"{collection}/{{name}}": _OBJECT}
    return {path: _operations(shape, resource, version.name) for path, shape in shapes.items()}


def _operations(shape: tuple[tuple[str, str], ...], resource: Resource, version: str) -> Json:
    return {
        method: {
            "parameters": [{"name": p["name"], "in": "query", **p["schema"]} for p in query_parameters(action)],
            "responses": {"200": {"description": "OK"}},
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": kind_of(resource.group, version, resource.kind),
        }
        for method, action in shape
    }
