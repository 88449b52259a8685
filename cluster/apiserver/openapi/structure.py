"""The schemas of definitions as clients are shown them: what a word of Kubernetes' own implies is written out."""

from cluster.apiserver.openapi.metadata import OBJECT_META, TYPE_META, nested
from cluster.apiserver.types import Json

_EITHER: list[Json] = [{"type": "integer"}, {"type": "string"}]
_NAMED = ("kind", "apiVersion")


def shown(schema: Json) -> Json:
    """The schema itself is not changed."""
    told = dict(schema)
    if schema.get("x-kubernetes-int-or-string"):
        told.setdefault("anyOf", _EITHER)
    properties = schema.get("properties")
    if properties:
        told["properties"] = {name: shown(below) for name, below in properties.items()}
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            told[word] = shown(schema[word])
    return _embedded(told) if schema.get("x-kubernetes-embedded-resource") else told


def _embedded(told: Json) -> Json:
    """A whole object within another one."""
    required = told.get("required") or []
    return {
        **told,
        "properties": {**(told.get("properties") or {}), **TYPE_META, "metadata": nested(OBJECT_META)},
        "required": [*required, *(name for name in _NAMED if name not in required)],
    }
