"""JSON merge patch, RFC 7386."""

from typing import Any

from cluster.apiserver.types import Json


def merge_patch(value: Any, patch: Any) -> Any:
    """`value` with `patch` applied; neither is changed, parts are shared."""
    if not isinstance(patch, dict):
        return patch
    out: Json = dict(value) if isinstance(value, dict) else {}
    for name, item in patch.items():
        if item is None:
            out.pop(name, None)
        else:
            out[name] = merge_patch(out.get(name), item)
    return out
