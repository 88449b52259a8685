"""What a reconciler is given: the cache to read, the client to write, the time, the settings."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from controller.engine.cache import Cache
from crds.client.client import Client
from crds.client.errors import AlreadyExists, Conflict, NotFound
from crds.models.record import Record

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Settings:
    """`router_port` is part of a project's address; None where the router listens on the scheme's own port.
    `git_interval_seconds`: how often a followed branch is looked at without anybody's word."""

    base_domain: str = "localhost"
    api_host: str = "localhost"
    router_port: int | None = None
    scheme: str = "http"
    runner: str = "local"
    git_interval_seconds: int = 300

    def url(self, host: str) -> str:
        return f"{self.scheme}://{host}" + (f":{self.router_port}" if self.router_port else "") + "/"


def utc_now() -> datetime:
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


@dataclass(frozen=True)
class Context:
    """Every write's answer goes into the cache at once, so that the next look sees it."""

    client: Client
    cache: Cache
    settings: Settings
    now: Callable[[], datetime] = utc_now

    async def ensure(self, record: R) -> R:
        """Create it; when it is there already, that one is as good. Safe to repeat."""
        known = self._known(type(record), record.metadata.namespace, record.name)
        if known is not None:
            return known
        try:
            made = await self.client.create(record)
        except AlreadyExists:
            made = await self.client.get(type(record), record.name, record.metadata.namespace)
        return self._take(made)

    async def apply(self, model: type[R], body: dict[str, Any], manager: str) -> R:
        """Server-side apply as `manager`: these fields are ours."""
        return self._take(await self.client.apply(model, body, force=True, manager=manager))

    async def patch(self, record: R, patch: dict[str, Any]) -> R:
        """Merge patch of the main resource, if it is still the version we looked at (else Conflict)."""
        meta = {**patch.get("metadata", {}), "resourceVersion": record.metadata.resource_version}
        body = {**patch, "metadata": meta}
        model = type(record)
        return self._take(await self.client.patch(model, record.name, record.metadata.namespace, body))

    async def remove(self, record: Record) -> None:
        """Ask for its end, if it is still that very one."""
        if record.deleting:
            return
        try:
            await self.client.delete(type(record), record.name, record.metadata.namespace, uid=record.uid)
        except (NotFound, Conflict):
            return

    def _known(self, model: type[R], namespace: str | None, name: str) -> R | None:
        return self.cache.get(model, namespace, name) if model in self.cache.models else None

    def _take(self, record: R) -> R:
        if type(record) in self.cache.models:
            self.cache.store(type(record)).upsert(record)
        return record
