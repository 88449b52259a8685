"""Says on the records what the router did: how each Route is served, and that traffic has left an Instance."""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

from cluster.router.plan import Key, Serving
from cluster.router.view import View
from crds.client.client import Client
from crds.client.errors import ApiError, Conflict, NotFound
from crds.conditions import READY, find, with_condition
from crds.models.instance import Instance
from crds.models.record import Condition
from crds.models.route import CROWDED, Route
from crds.names import FINALIZER_ROUTER

_log = logging.getLogger(__name__)
_AT_ONCE = 16


class Reporter:
    """Writes only what differs from the records. `crowded`: why a Route's requests are refused just now; `later` is
    called when something could not be written; it stays on the list."""

    def __init__(
        self,
        client: Client,
        view: View,
        crowded: Callable[[Key], str],
        later: Callable[[], None],
        now: Callable[[], datetime] | None = None,
    ):
        self._client = client
        self._view = view
        self._crowded = crowded
        self._later = later
        self._now = now or (lambda: datetime.now(UTC))
        self._routes: set[Key] = set()

    def note(self, routes: Iterable[Key]) -> None:
        """Something may be to say on these."""
        self._routes.update(routes)

    async def report(self, served: Mapping[Key, Serving], held: Collection[Key]) -> None:
        """`served`: as HAProxy has it; `held`: (namespace, name) of the instances that it still has a server for."""
        routes, self._routes = self._routes, set()
        known = {key: replace(served[key], crowded=self._crowded(key)) for key in sorted(routes) if key in served}
        writes = [self._report_route(key, serving) for key, serving in known.items()]
        writes += [self._let_go(instance) for instance in self._view.leaving() if instance.key not in held]
        limit = asyncio.Semaphore(_AT_ONCE)

        async def one(write: Coroutine[Any, Any, None]) -> None:
            async with limit:
                await write

        await asyncio.gather(*(one(write) for write in writes))

    async def _report_route(self, key: Key, serving: Serving) -> None:
        route = self._view.routes.get(*key)
        status = route_status(route, serving, self._now()) if route else None
        if route is None or status is None:
            return
        try:
            self._view.routes.upsert(await self._client.patch_status(route, status))
        except NotFound:
            return
        except ApiError as error:
            self._routes.add(key)
            self._again(error)

    async def _let_go(self, instance: Instance) -> None:
        try:
            self._view.instances.upsert(await self._client.remove_finalizer(instance, FINALIZER_ROUTER))
        except NotFound:
            return
        except ApiError as error:
            self._again(error)

    def _again(self, error: ApiError) -> None:
        _log.log(logging.DEBUG if isinstance(error, Conflict) else logging.INFO, "%s", error)
        self._later()


def route_status(route: Route, serving: Serving, now: datetime) -> dict[str, Any] | None:
    """The status to merge; None when the Route says so already."""
    ready, reason, message = _ready(serving)
    generation = serving.generation
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
    if serving.crowded:
        return "True", CROWDED, serving.crowded
    return "True", "Served", ""
