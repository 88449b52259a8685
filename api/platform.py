"""What handlers work with: one object, made once by the server."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from api.config import ApiConfig
from api.http.ratelimit import RateLimit
from api.identity.credentials import Credentials
from api.inspecting import Inspector
from api.records.cache import Records
from api.records.editor import Editor
from api.runtime.protocol import Runtime
from api.store.database import Database
from api.views.project import ProjectViews


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Platform:
    """`ready`: the watch cache holds everything. `closing` is set when the service stops."""

    config: ApiConfig
    records: Records
    editor: Editor
    database: Database
    credentials: Credentials
    runtime: Runtime
    inspector: Inspector
    ready: Callable[[], bool]
    webhook_limit: RateLimit
    openapi: bytes
    project_views: ProjectViews = field(default_factory=ProjectViews)
    now: Callable[[], datetime] = utc_now
    closing: asyncio.Event = field(default_factory=asyncio.Event)
