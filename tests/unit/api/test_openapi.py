"""The OpenAPI document is whole, and of the same table."""

import json
import re
from typing import Any

from api.http.openapi import document
from api.http.shapes import NoBody
from api.table import TABLE

DOCUMENT: dict[str, Any] = json.loads(json.dumps(document(TABLE, "1")))


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for item in value.values() for found in references(item)]
    return [found for item in value for found in references(item)] if isinstance(value, list) else []


def test_every_row_is_an_operation() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    operations = {(method, path) for path, item in DOCUMENT["paths"].items() for method in item}
    assert operations == {(row.method.lower(), re.sub(r":(\w+)", r"{\1}", row.path)) for row in TABLE}
    ids = [operation["operationId"] for item in DOCUMENT["paths"].values() for operation in item.values()]
    assert len(ids) == len(set(ids))


def test_every_reference_leads_somewhere() -> None:
    for reference in references(DOCUMENT):
        target: Any = DOCUMENT
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]
        assert target["type"] in ("object", "string")


def test_parameters_bodies_and_answers_are_described() -> None:
    for row in TABLE:
        operation = DOCUMENT["paths"][re.sub(r":(\w+)", r"{\1}", row.path)][row.method.lower()]
        in_path = {p["name"] for p in operation["parameters"] if p["in"] == "path"}
        assert in_path == set(re.findall(r":(\w+)", row.path))
        assert all(p["required"] for p in operation["parameters"] if p["in"] == "path")
        assert ("requestBody" in operation) == (row.takes is not NoBody)
        assert str(row.status) in operation["responses"]
        assert "application/problem+json" in operation["responses"]["default"]["content"]
        assert operation["security"] == ([{"key": []}] if row.needs_credential else [])
        assert operation["x-scope"] == row.access
        assert operation["summary"]


def test_bodies_refuse_unknown_fields() -> None:
    for row in TABLE:
        if row.takes is not NoBody:
            assert row.takes.model_json_schema()["additionalProperties"] is False
