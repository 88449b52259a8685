"""The operator: kopf watches every kind of the table, its events feed the cache, the cache feeds the queue."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from controller.engine.cache import Cache
from controller.engine.context import Context, Settings
from controller.engine.kopf_feed import watch_with_kopf
from controller.engine.reconciler import Key, Reconciler, Watch, run_once
from controller.table import RECONCILERS, WATCHED
from crds.client.backoff import pause_after
from crds.client.changes import spec_or_metadata
from crds.client.client import Client
from crds.client.errors import ApiError
from crds.client.leadership import Leadership
from crds.client.lease import LeaseHolder
from crds.client.queue import Depth, WorkQueue
from crds.models.record import Record

_log = logging.getLogger(__name__)
_FRESH_LIST_SECONDS = 240.0


@dataclass(frozen=True)
class ControllerConfig:
    """How one controller runs; `identity` tells it from another one that waits for the same Lease, and is the same
    after a restart. `restore_signals`: called after kopf has started, which takes the loop's signal handlers."""

    kubeconfig: Path
    settings: Settings
    identity: str
    restore_signals: Callable[[], None] = lambda: None


async def run(config: ControllerConfig, report: Callable[[Depth], None] | None = None) -> None:
    """Reconcile until cancelled. `report` is told the queue's depth once a second while it changes."""
    client = await Client.open(config.kubeconfig, "setpoint-controller")
    try:
        lease = LeaseHolder(client, "controller", config.identity)
        await Leadership(lease).work(lambda: _reconcile_all(config, client, report))
    finally:
        await client.close()


async def _reconcile_all(config: ControllerConfig, client: Client, report: Callable[[Depth], None] | None) -> None:
    cache = Cache(WATCHED)
    context = Context(client=client, cache=cache, settings=config.settings)
    table = {reconciler.model.resource.kind: reconciler for reconciler in RECONCILERS}

    async def work(key: Key) -> float | None:
        kind, namespace, name = key
        return await run_once(context, table[kind], namespace, name)

    queue: WorkQueue[Key] = WorkQueue(work)
    for reconciler in RECONCILERS:
        _wire(context, reconciler, queue)
    await _first_list(cache, client)
    _log.info("reconciling %d kinds", len(RECONCILERS))
    async with asyncio.TaskGroup() as group:
        group.create_task(watch_with_kopf(config.kubeconfig, cache, config.restore_signals))
        group.create_task(queue.run())
        group.create_task(_compare_now_and_then(cache, client))
        if report is not None:
            group.create_task(_report_depth(queue, report))


def _wire(context: Context, reconciler: Reconciler, queue: WorkQueue[Key]) -> None:
    kind = reconciler.model.resource.kind
    itself = Watch(reconciler.model, lambda _context, record: [record.key], spec_or_metadata)
    for watch in (itself, *reconciler.watches):

        def wake(old: Record | None, new: Record | None, watch: Watch = watch) -> None:
            if watch.when(old, new):
                for namespace, name in watch.concerns(context, new or old):
                    queue.add((kind, namespace, name))

        context.cache.subscribe(watch.model, wake)


async def _first_list(cache: Cache, client: Client) -> None:
    """Nothing is decided before every kind was listed once: half a view is no view."""
    failures = 0
    while True:
        try:
            await cache.refresh(client)
            return
        except ApiError as error:
            failures += 1
            _log.info("waiting for the state store: %s", error)
            await asyncio.sleep(pause_after(failures))


async def _compare_now_and_then(cache: Cache, client: Client) -> None:
    while True:
        await asyncio.sleep(_FRESH_LIST_SECONDS)
        try:
            await cache.refresh(client)
        except ApiError as error:
            _log.info("the fresh list has to wait: %s", error)


async def _report_depth(queue: WorkQueue[Key], report: Callable[[Depth], None]) -> None:
    said: Depth | None = None
    while True:
        depth = queue.depth()
        if depth != said:
            report(depth)
            said = depth
        await asyncio.sleep(1.0)
