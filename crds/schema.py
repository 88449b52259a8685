"""From a pydantic model to the structural schema that a CustomResourceDefinition wants.

Structural means: no references, no unions but "or null", no exclusive bounds as numbers. What cannot be said that way
is refused here, when the CRDs are generated, and not by a server later."""

from typing import Any

from pydantic import BaseModel

_KEPT = (
    "type",
    "description",
    "format",
    "enum",
    "default",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "maxProperties",
)


class NotStructural(ValueError):
    """The model says something that a CRD cannot."""


def structural(model: type[BaseModel]) -> dict[str, Any]:
    """The OpenAPI v3 schema of the model, every reference resolved in place."""
    schema = model.model_json_schema(by_alias=True, mode="validation")
    return _convert(schema, schema.get("$defs", {}), model.__name__)


def _convert(node: dict[str, Any], defs: dict[str, Any], where: str) -> dict[str, Any]:
    if "$ref" in node:
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        return _convert({**defs[node["$ref"].rsplit("/", 1)[-1]], **siblings}, defs, where)
    if "anyOf" in node:
        return _nullable(node, defs, where)
    if "oneOf" in node or "allOf" in node:
        raise NotStructural(f"{where}: unions have no structural schema; split the field")
    out = {key: node[key] for key in _KEPT if key in node}
    out |= {key: value for key, value in node.items() if key.startswith("x-kubernetes-")}
    if "const" in node:
        out["enum"] = [node["const"]]
    _bounds(node, out)
    _children(node, out, defs, where)
    if "type" not in out:
        raise NotStructural(f"{where}: a field needs a type")
    return out


def _nullable(node: dict[str, Any], defs: dict[str, Any], where: str) -> dict[str, Any]:
    """`X | None`: nullable, and without the null default (a server would prune it)."""
    options = [option for option in node["anyOf"] if option.get("type") != "null"]
    if len(options) != 1:
        raise NotStructural(f"{where}: only `X | None` is possible, no other union")
    rest = {key: value for key, value in node.items() if key not in ("anyOf", "default", "title")}
    return {**_convert({**options[0], **rest}, defs, where), "nullable": True}


def _bounds(node: dict[str, Any], out: dict[str, Any]) -> None:
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if exclusive in node:
            out[bound] = node[exclusive]
            out[exclusive] = True


def _children(node: dict[str, Any], out: dict[str, Any], defs: dict[str, Any], where: str) -> None:
    if node.get("type") == "array":
        out["items"] = _convert(node["items"], defs, f"{where}[]")
    if node.get("type") != "object":
        return
    if "properties" in node:
        out["properties"] = {
            name: _convert(child, defs, f"{where}.{name}") for name, child in node["properties"].items()
        }
        if node.get("required"):
            out["required"] = node["required"]
    elif isinstance(node.get("additionalProperties"), dict):
        out["additionalProperties"] = _convert(node["additionalProperties"], defs, f"{where}.*")
    else:
        out["x-kubernetes-preserve-unknown-fields"] = True
