"""How the groups of a node are called, which stand beside those of others."""

from collections.abc import Iterable
from pathlib import Path

# In no name of a node.
_BETWEEN = "+"


def prefix_of(installation: str, node: str) -> str:
    return f"{installation}{_BETWEEN}{node}{_BETWEEN}"


def others(root: Path, prefix: str, kept: Iterable[str]) -> list[Path]:
    """Those of that prefix whose names are not kept."""
    names = {f"{prefix}{name}" for name in kept}
    return [path for path in root.iterdir() if path.name.startswith(prefix) and path.name not in names]
