"""The OpenAPI 3.1 document, from the same table that routes. Pure."""

import inspect
import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from api.http.endpoint import Endpoint
from api.http.shapes import NoBody, NoQuery
from api.problems import CODES

Json = dict[str, Any]
_REF = "#/components/schemas/{model}"
_FAULTS: Json = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"pointer": {"type": "string"}, "detail": {"type": "string"}},
        "required": ["pointer", "detail"],
    },
}
_PROBLEM: Json = {
    "type": "object",
    "description": "RFC 9457",
    "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string", "description": "The request's id"},
        "code": {"type": "string", "enum": sorted(CODES)},
        "errors": _FAULTS,
    },
    "required": ["type", "title", "status", "detail", "instance", "code"],
}


def document(table: Sequence[Endpoint], version: str) -> Json:
    names, schemas = _schemas(table)
    paths: Json = {}
    for row in table:
        path = re.sub(r":([A-Za-z]+)", r"{\1}", row.path)
        paths.setdefault(path, {})[row.method.lower()] = _operation(row, names)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Setpoint", "version": version, "description": "Deploys and runs projects."},
        "paths": paths,
        "components": {
            "schemas": {**schemas, "Problem": _PROBLEM},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "bearerFormat": "sk_..."}},
        },
    }


def _schemas(table: Sequence[Endpoint]) -> tuple[dict[type[BaseModel], Json], Json]:
    """Model -> reference, and all definitions."""
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = []
    for row in table:
        wanted.append((row.takes, "validation"))
        if row.gives is not None:
            wanted.append((row.gives, "serialization"))
    unique = list(dict.fromkeys(wanted))
    references, definitions = models_json_schema(unique, ref_template=_REF)
    return {model: references[model, mode] for model, mode in unique}, definitions.get("$defs", {})


def _operation(row: Endpoint, names: dict[type[BaseModel], Json]) -> Json:
    operation: Json = {
        "operationId": _operation_id(row),
        "summary": _summary(row),
        "parameters": [*_path_parameters(row), *_query_parameters(row), *_header_parameters(row)],
        "responses": _responses(row, names),
        "x-scope": row.access,
        "security": [{"key": []}] if row.needs_credential else [],
    }
    if row.takes is not NoBody:
        needed = any(field.is_required() for field in row.takes.model_fields.values())
        operation["requestBody"] = {"required": needed, "content": {"application/json": {"schema": names[row.takes]}}}
    return operation


def _operation_id(row: Endpoint) -> str:
    words = [word for word in re.split(r"[^A-Za-z0-9]+", row.path) if word and word != "v1"]
    return row.method.lower() + "".join(word[0].upper() + word[1:] for word in words)


def _summary(row: Endpoint) -> str:
    told = inspect.getdoc(row.handler)
    return told.splitlines()[0] if told else f"{row.method} {row.path}"


def _path_parameters(row: Endpoint) -> list[Json]:
    names = re.findall(r":([A-Za-z]+)", row.path)
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(row: Endpoint) -> list[Json]:
    if row.query is NoQuery:
        return []
    properties: Json = row.query.model_json_schema()["properties"]
    return [{"name": name, "in": "query", "required": False, "schema": schema} for name, schema in properties.items()]


def _header_parameters(row: Endpoint) -> list[Json]:
    names = []
    if row.method == "POST" and row.needs_credential:
        names.append("Idempotency-Key")
    if row.etag and row.method not in ("GET", "HEAD"):
        names.append("If-Match")
    if row.streams:
        names.append("Last-Event-ID")
    if row.access == "signature":
        names.append("X-Hub-Signature-256")
    return [{"name": name, "in": "header", "required": False, "schema": {"type": "string"}} for name in names]


def _responses(row: Endpoint, names: dict[type[BaseModel], Json]) -> Json:
    content: Json = {}
    if row.gives is not None:
        content["application/json"] = {"schema": names[row.gives]}
    if row.streams:
        content["text/event-stream"] = {"schema": {"type": "string"}}
    success: Json = {"description": "Success", **({"content": content} if content else {})}
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {str(row.status): success, "default": {"description": "A refusal", "content": problem}}
