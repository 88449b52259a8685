"""What any runtime can be asked."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pydantic import Field

from crds.models.record import Shape


class RuntimeAway(Exception):
    """Who has the answer does not answer (or is not known). The message names the part, never its address."""


class BuildLine(Shape):
    """`seq` counts from 1 within one build."""

    seq: int
    at: datetime
    stream: str
    line: str


class LogLine(Shape):
    """`cursor` is the node's own word for the place right after this line."""

    at: datetime
    instance: str
    process: str
    stream: str
    line: str
    cursor: str


class Sample(Shape):
    at: datetime
    cpu: float
    memory_bytes: int


class InstanceUsage(Shape):
    """CPU in cores."""

    namespace: str
    project: str
    process: str
    instance: str
    cpu: float | None = None
    memory_bytes: int | None = None
    series: list[Sample] = Field(default_factory=list)


class RequestSample(Shape):
    at: datetime
    requests: float
    errors: float


class RequestUsage(Shape):
    """What the router counted for one project; the percentiles come from `sampled` requests."""

    window: str
    total: int
    errors: int
    per_second: float
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    sampled: int = 0
    series: list[RequestSample] = Field(default_factory=list)


@dataclass(frozen=True)
class LogQuery:
    """Which lines: of one project, since then, the newest `limit`."""

    namespace: str
    project: str
    since: datetime | None = None
    limit: int = 50


class Runtime(Protocol):
    def build_log(self, node: str, namespace: str, build: str, start: int) -> AsyncGenerator[BuildLine, None]:
        """The lines from number `start` on, until the node ends the log. Raises RuntimeAway."""

    async def build_tail(self, node: str, namespace: str, build: str, count: int) -> list[str]:
        """The last lines of a build that is over. Raises RuntimeAway."""

    async def log_page(self, query: LogQuery) -> list[tuple[str, LogLine]]:
        """The newest lines of all nodes, oldest first, each with its node's name. Raises RuntimeAway when no node
        answers."""

    async def instance_tail(self, node: str, namespace: str, project: str, instance: str, count: int) -> list[str]:
        """The last lines of one instance. Raises RuntimeAway."""

    def follow_log(self, query: LogQuery, after: Mapping[str, str]) -> AsyncGenerator[tuple[str, LogLine], None]:
        """Lines as they come, for ever, each with its node's name: first those behind `after` (node -> cursor), or of
        the query for other nodes. A node that is away is asked again until it is back."""

    async def usage(self, namespace: str, project: str, nodes: frozenset[str]) -> list[InstanceUsage]:
        """Live figures of the project's instances on these nodes. Raises RuntimeAway when none of them answers."""

    async def requests(self, namespace: str, project: str) -> RequestUsage:
        """Raises RuntimeAway."""
