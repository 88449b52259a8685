"""What a URL path is about."""

from functools import lru_cache
from typing import NamedTuple


class Place(NamedTuple):
    """`plural` is "" for discovery of a group version."""

    group: str
    version: str
    plural: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""


@lru_cache(maxsize=4096)
def place_of(path: str) -> Place | None:
    """None for a path that names no group version, or more than a resource can have."""
    parts = path.strip("/").split("/")
    if "" in parts:
        parts = [part for part in parts if part]
    if len(parts) >= 2 and parts[0] == "api":
        group, version, rest = "", parts[1], parts[2:]
    elif len(parts) >= 3 and parts[0] == "apis":
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces" and not (len(rest) == 3 and rest[2] in ("status", "finalize")):
        namespace, rest = rest[1], rest[2:]
    if len(rest) > 3:
        return None
    plural, name, subresource = (*rest, "", "", "")[:3]
    return Place(group, version, plural, namespace, name, subresource)
