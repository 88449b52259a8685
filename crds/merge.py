"""Merge patches (RFC 7396): from what was to what is to be."""

from typing import Any


def merge_patch(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The smallest patch that turns `old` into `new`: null removes, lists are replaced whole; {} when equal."""
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if key in old and before == value:
            continue
        both = isinstance(before, dict) and isinstance(value, dict)
        patch[key] = merge_patch(before, value) if both else value  # type: ignore[arg-type]
    return patch
