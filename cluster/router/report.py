"""Says on the records what the router did: how each Route is served, and that traffic has left an Instance."""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from cluster.router.plan import Key, Serving
from cluster.router.view import View
from crds.client.client import Client
from crds.client.errors import ApiError, Conflict, NotFound
from crds.conditions import READY, find, with_condition
from crds.models.instance import Instance
from crds.models.record import Condition
from crds.models.route import Route
from crds.names import FINALIZER_ROUTER

_log = logging.getLogger(__name__)
_AT_ONCE = 16


class Reporter:
    """Writes only what differs from the records. `later` is called when something could not be written."""

    def __init__(
        self, client: Client, view: View, later: Callable[[], None], now: Callable[[], datetime] | None = None
    ):
        self._client = client
        self._view = view
        self._later = later
        self._now = now or (lambda: datetime.now(UTC))

    async def report(
        self, served: Mapping[Key, Serving], generations: Mapping[Key, int], held: Collection[Key]
    ) -> None:
        """`generations`: of the Routes as `served` was made from them; `held`: (namespace, name) of the instances
        that HAProxy still has a server for."""
        writes: list[Coroutine[Any, Any, None]] = []
        for key, serving in served.items():
            route = self._view.routes.get(*key)
            status = route_status(route, serving, generations[key], self._now()) if route else None
            if route and status:
                writes.append(self._write_status(route, status))
        for instance in self._view.instances.list():
            if instance.deleting and FINALIZER_ROUTER in instance.metadata.finalizers and instance.key not in held:
                writes.append(self._let_go(instance))
        await self._all(writes)

    async def _all(self, writes: Iterable[Coroutine[Any, Any, None]]) -> None:
        limit = asyncio.Semaphore(_AT_ONCE)

        async def one(write: Coroutine[Any, Any, None]) -> None:
            async with limit:
                try:
                    await write
                except NotFound:
                    return
                except ApiError as error:
                    _log.log(logging.DEBUG if isinstance(error, Conflict) else logging.INFO, "%s", error)
                    self._later()

        await asyncio.gather(*(one(write) for write in writes))

    async def _write_status(self, route: Route, status: dict[str, Any]) -> None:
        self._view.routes.upsert(await self._client.patch_status(route, status))

    async def _let_go(self, instance: Instance) -> None:
        try:
            self._view.instances.upsert(await self._client.remove_finalizer(instance, FINALIZER_ROUTER))
        except NotFound:
            return


def route_status(route: Route, serving: Serving, generation: int, now: datetime) -> dict[str, Any] | None:
    """The status to merge; None when the Route says so already."""
    ready, reason, message = _ready(serving)
    status, old = route.status, find(route.status.conditions, READY)
    says = (old.status, old.reason, old.message) if old else None
    if (
        says == (ready, reason, message)
        and status.served_by == serving.workload
        and status.observed_generation == generation
    ):
        return None
    conditions = with_condition(
        status.conditions, READY, ready, reason=reason, message=message, now=now, generation=generation
    )
    return {
        "servedBy": serving.workload,
        "observedGeneration": generation,
        "conditions": [Condition.wire(condition) for condition in conditions],
    }


def _ready(serving: Serving) -> tuple[Literal["True", "False"], str, str]:
    """In the order of what the user has to know first."""
    if serving.refused:
        return "False", "HostnameRefused", " ".join(serving.refused.values())[:1000]
    if serving.waiting_for:
        return (
            "False",
            "WaitingForInstance",
            f"No instance of {serving.waiting_for} is ready; {serving.workload} serves on.",
        )
    if serving.workload is None:
        return "False", "NothingReleased", "Nothing is released yet."
    if not serving.servers:
        return "False", "NoReadyInstance", f"No instance of {serving.workload} is ready."
    return "True", "Served", ""
