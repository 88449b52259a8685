"""The few types that every part of the server shares."""

from typing import Any

Json = dict[str, Any]
"""A decoded JSON object."""

Key = tuple[str, str]
"""Where an object is within its resource: (namespace or "", name)."""
