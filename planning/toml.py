"""TOML that somebody else wrote. Pure."""

import tomllib
from typing import Any


def table(text: str, name: str) -> dict[str, Any]:
    """The table of that name; empty where there is none, or the text is not TOML."""
    try:
        found = tomllib.loads(text).get(name)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
