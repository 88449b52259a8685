"""The variables of a project as answers show them."""

import json
from collections.abc import Mapping

from api.http.shapes import View
from crds.models.core import Secret
from crds.names import ANNOTATION_SECRET_NAMES

MASK = "********"
_PLATFORM_NAMES = frozenset({"PORT", "HOST", "DATABASE_URL"})


class EnvView(View):
    vars: dict[str, str]
    secret: list[str]
    pending: list[str]


def secret_names(secret: Secret | None) -> frozenset[str]:
    """The names whose values are masked; all of them when the note is unreadable."""
    if secret is None:
        return frozenset()
    try:
        return frozenset(json.loads(secret.metadata.annotations.get(ANNOTATION_SECRET_NAMES, "[]")))
    except (ValueError, TypeError):
        return frozenset(secret.data)


def env_view(secret: Secret | None, snapshot: Secret | None) -> EnvView:
    """`snapshot`: the variables as the running release has them; None when nothing runs."""
    values = secret.values() if secret else {}
    masked = secret_names(secret) & values.keys()
    return EnvView(
        vars={name: MASK if name in masked else value for name, value in sorted(values.items())},
        secret=sorted(masked),
        pending=pending(values, snapshot.values() if snapshot else {}),
    )


def pending(values: Mapping[str, str], running: Mapping[str, str]) -> list[str]:
    """Names that were set, changed or removed since the running release began."""
    names = values.keys() | {name for name in running if not _of_platform(name)}
    return sorted(name for name in names if values.get(name) != running.get(name))


def _of_platform(name: str) -> bool:
    return name in _PLATFORM_NAMES or name.startswith("SETPOINT_")


def env_etag(secret: Secret | None) -> str:
    return f'"{secret.uid}.{secret.metadata.resource_version}"' if secret else '"none"'
