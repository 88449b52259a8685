"""From the status that was to the status that is to be: the smallest merge patch, or none."""

from typing import Any


def merge_difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The merge patch that turns `old` into `new`: null removes, lists are replaced whole."""
    patch: dict[str, Any] = {}
    for key in old.keys() | new.keys():
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            patch[key] = merge_difference(before, after)
        else:
            patch[key] = after
    return patch
