"""kubectl's passage from client-side to server-side apply, through the annotation that the former leaves.

What the annotation says, and what still is as it says, is kubectl's own: to change it is no conflict.
"""

import orjson

from cluster.apiserver.fields.sets import EMPTY, FieldSet, difference
from cluster.apiserver.fields.walk import compare, to_set
from cluster.apiserver.schema.node import Node
from cluster.apiserver.types import Json

MANAGER = "kubectl"
ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
MAX_BYTES = 256 * 1024


def allowed_conflicts(live: Json, trimmed_live: Json, node: Node) -> FieldSet:
    """The fields of `live` that client-side apply set and nobody has changed since."""
    text = (live["metadata"].get("annotations") or {}).get(ANNOTATION)
    if not text:
        return EMPTY
    try:
        applied = orjson.loads(text)
    except orjson.JSONDecodeError:
        return EMPTY
    if not isinstance(applied, dict) or not isinstance(applied.get("metadata"), dict):
        return EMPTY
    wanted = {name: value for name, value in applied.items() if name not in ("apiVersion", "kind", "metadata")}
    wanted["metadata"] = {name: v for name, v in applied["metadata"].items() if name in ("labels", "annotations")}
    fields = to_set(wanted, node)
    for changed in compare(trimmed_live, wanted, node):
        fields = difference(fields, changed)
    return fields


def sync_annotation(obj: Json, config: Json) -> None:
    """Keep the annotation, where there is one, in step with what server-side apply sent."""
    annotations = obj["metadata"].get("annotations") or {}
    if ANNOTATION not in annotations:
        return
    sent = {**config, "metadata": {k: v for k, v in config["metadata"].items() if k != "managedFields"}}
    own = {k: v for k, v in (sent["metadata"].get("annotations") or {}).items() if k != ANNOTATION}
    sent["metadata"]["annotations"] = own
    text = orjson.dumps(sent, option=orjson.OPT_SORT_KEYS).decode() + "\n"
    if len(text) > MAX_BYTES:
        del annotations[ANNOTATION]
    else:
        annotations[ANNOTATION] = text
