"""kopf as the watcher: every event of every kind goes into the cache, and nothing else is asked of it.

Its own diff-base and progress storages would cost a write for each change, so both are switched off."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kopf
import yaml

from controller.engine.cache import Cache

_END_SECONDS = 3.0


class _NoDiffBase(kopf.DiffBaseStorage):
    def build(self, *, body: Any, extra_fields: Any = None) -> Any:
        # A deep copy of every record at every event, for a difference that nobody asks for.
        return {}

    def fetch(self, *, body: Any) -> None:
        return None

    def store(self, *, body: Any, patch: Any, essence: Any) -> None:
        return None


class _NoProgress(kopf.ProgressStorage):
    def fetch(self, *, key: Any, body: Any) -> None:
        return None

    def store(self, *, key: Any, record: Any, body: Any, patch: Any) -> None:
        return None

    def purge(self, *, key: Any, body: Any, patch: Any) -> None:
        return None

    def touch(self, *, body: Any, patch: Any, value: Any) -> None:
        return None

    def clear(self, *, essence: Any) -> Any:
        return essence


class WatchEnded(Exception):
    """kopf gave up, which it never should."""


async def watch_with_kopf(kubeconfig: Path, cache: Cache, started: Callable[[], None]) -> None:
    """Feed the cache until cancelled. `started` is called once kopf's tasks are there.

    kopf's own runner would, at its end, cancel every task of this loop that it did not know before; so its tasks are
    spawned by it, and ended by us."""
    registry = kopf.OperatorRegistry()

    @kopf.on.login(registry=registry)
    async def login(**_: Any) -> kopf.ConnectionInfo:
        # Read anew: kopf asks again when the token it has is refused.
        return connection_of(kubeconfig)

    _feed(registry, cache)
    tasks = await kopf.spawn_tasks(registry=registry, settings=quiet_settings(), clusterwide=True, standalone=True)
    started()
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        raise WatchEnded("the watch of the records ended by itself")
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=_END_SECONDS)


def _feed(registry: kopf.OperatorRegistry, cache: Cache) -> None:
    """One handler for all kinds: kopf goes through all handlers several times an event."""
    models = {model.resource.plural: model for model in cache.models}
    (group,) = {model.resource.group for model in cache.models}
    (version,) = {model.resource.version for model in cache.models}

    @kopf.on.event(group, version, kopf.EVERYTHING, registry=registry)
    async def take(event: Any, resource: kopf.Resource, **_: Any) -> None:
        model = models.get(resource.plural)
        if model is not None:
            cache.take(model, event.get("type"), dict(event["object"]))


def quiet_settings() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.posting.loggers = False
    settings.persistence.diffbase_storage = _NoDiffBase()
    settings.persistence.progress_storage = _NoProgress()
    settings.scanning.disabled = False
    # A worker task a record, for as long as records keep changing; idle ones cost memory.
    settings.queueing.idle_timeout = 0.5
    settings.queueing.exit_timeout = 0.5
    settings.watching.reconnect_backoff = 0.1
    settings.watching.connect_timeout = 5
    settings.networking.error_backoffs = (0.1, 0.2, 0.5, 1, 1, 2, 2, 5)
    return settings


def connection_of(kubeconfig: Path) -> kopf.ConnectionInfo:
    config = yaml.safe_load(kubeconfig.read_text())
    context = _named(config["contexts"], config["current-context"])["context"]
    cluster = _named(config["clusters"], context["cluster"])["cluster"]
    user = _named(config["users"], context["user"])["user"]
    return kopf.ConnectionInfo(
        server=cluster["server"],
        ca_path=cluster.get("certificate-authority"),
        ca_data=cluster.get("certificate-authority-data"),
        insecure=cluster.get("insecure-skip-tls-verify"),
        token=user.get("token"),
        certificate_path=user.get("client-certificate"),
        private_key_path=user.get("client-key"),
    )


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["name"] == name)
