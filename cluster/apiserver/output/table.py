"""The Table form: what kubectl shows."""

from collections.abc import Sequence
from typing import Any

import orjson

from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.model import Column, Resource, Target
from cluster.apiserver.output.cells import BUILT_IN_CELLS
from cluster.apiserver.output.jsonpath import results
from cluster.apiserver.types import Json

INCLUDES = ("None", "Metadata", "Object")
NAME_HELP = (
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a "
    "client to request the generation of an appropriate name automatically. Name is primarily intended for creation "
    "idempotence and configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
NAME = Column("Name", "string", ("metadata", "name"), format="name", description=NAME_HELP)


def table(objects: Sequence[Json], target: Target, version: str, metadata: Json, include: str) -> Json:
    definitions = [_definition(column, target.resource) for column in columns(target)]
    return {
        "kind": "Table",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": metadata,
        "columnDefinitions": definitions,
        "rows": [row(obj, target, version, include) for obj in objects],
    }


def row(obj: Json, target: Target, version: str, include: str) -> Json:
    shown: Json | None = None
    if include == "Object":
        shown = obj
    elif include == "Metadata":
        shown = {
            "kind": "PartialObjectMetadata",
            "apiVersion": f"meta.k8s.io/{version}",
            "metadata": obj["metadata"],
        }
    return {"cells": [_cell(obj, column, target.resource) for column in columns(target)], "object": shown}


def columns(target: Target) -> list[Column]:
    own = list(target.version.columns)
    # Events are told by what happened first, their name is an extra.
    return own if any(column.format == "name" for column in own) else [NAME, *own]


def _definition(column: Column, resource: Resource) -> Json:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.description or f"{column.name} of the {resource.singular}",
        "priority": column.priority,
    }


def _cell(obj: Json, column: Column, resource: Resource) -> Any:
    made = BUILT_IN_CELLS.get((resource.id if not resource.custom else "", column.name))
    if made is not None:
        return made(obj)
    if not resource.custom and column.name == "Age":
        return times.age(obj["metadata"]["creationTimestamp"])
    found = results(obj, column.path)
    if not found or found[0] is None:
        return None
    value = found[0]
    if column.type == "date":
        if not resource.custom:
            return value
        return times.age(value) if isinstance(value, str) else "<invalid>"
    return _typed(value, column.type)


def _typed(value: Any, kind: str) -> Any:
    if kind == "integer" and isinstance(value, float):
        return int(value)
    if kind == "string" and isinstance(value, dict | list):
        return orjson.dumps(value).decode()
    if kind == "string" and not isinstance(value, str):
        return orjson.dumps(value).decode()
    return value
