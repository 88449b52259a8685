"""From a path to a row: a tree of path segments, made once from the table."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from api.http.endpoint import Endpoint


@dataclass
class _Node:
    fixed: dict[str, "_Node"] = field(default_factory=dict)
    named: "_Node | None" = None
    rows: dict[str, tuple[Endpoint, tuple[str, ...]]] = field(default_factory=dict)
    allow: str = ""


@dataclass(frozen=True)
class Match:
    """`endpoint` None: the path is known, the method is not; `allow` lists those that are."""

    endpoint: Endpoint | None
    params: dict[str, str]
    allow: str


class Routes:
    def __init__(self, table: Iterable[Endpoint]):
        self._root = _Node()
        for row in table:
            self._add(row)

    def _add(self, row: Endpoint) -> None:
        node = self._root
        names: list[str] = []
        for segment in row.path.split("/")[1:]:
            if segment.startswith(":"):
                names.append(segment[1:])
                node.named = node.named or _Node()
                node = node.named
            else:
                node = node.fixed.setdefault(segment, _Node())
        if row.method in node.rows:
            raise ValueError(f"The table has {row.method} {row.path} twice.")
        node.rows[row.method] = (row, tuple(names))
        methods = sorted({*node.rows, *(["HEAD"] if "GET" in node.rows else [])})
        node.allow = ", ".join(methods)

    def match(self, method: str, path: str) -> Match | None:
        """None: no row has this path."""
        segments = path.split("/")[1:]
        values: list[str] = []
        node = _descend(self._root, segments, 0, values)
        if node is None:
            return None
        found = node.rows.get("GET" if method == "HEAD" else method)
        if found is None:
            return Match(None, {}, node.allow)
        row, names = found
        return Match(row, dict(zip(names, values, strict=True)), node.allow)


def _descend(node: _Node, segments: list[str], depth: int, values: list[str]) -> _Node | None:
    """A fixed segment goes before a named one; when it leads nowhere, the named one is tried."""
    if depth == len(segments):
        return node if node.rows else None
    segment = segments[depth]
    below = node.fixed.get(segment)
    if below is not None:
        found = _descend(below, segments, depth + 1, values)
        if found is not None:
            return found
    if node.named is None or not segment:
        return None
    values.append(segment)
    found = _descend(node.named, segments, depth + 1, values)
    if found is None:
        values.pop()
    return found
