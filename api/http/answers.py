"""What a handler returns: a view alone, or one of these when there is more to say than the body."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

Content = BaseModel | Mapping[str, Any] | bytes | None


@dataclass(frozen=True)
class Answer:
    """`content`: a view, a JSON object, or JSON already encoded. `status` 0: as the table's row says."""

    content: Content
    status: int = 0
    location: str = ""
    etag: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json"


@dataclass(frozen=True)
class Page:
    """One page of a list: `{name: items, nextCursor}`. Items are views, or views already encoded."""

    name: str
    items: Sequence[BaseModel | bytes]
    next_cursor: str | None


@dataclass(frozen=True)
class Event:
    """One server-sent event; `data` is JSON already encoded."""

    name: str
    data: bytes
    id: str


@dataclass(frozen=True)
class EventStream:
    """Server-sent events, until the generator or the client ends."""

    events: AsyncGenerator[Event, None]
    location: str = ""
