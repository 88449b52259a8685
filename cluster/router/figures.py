"""Answers how a project's requests fare, to the parts that may ask."""

import asyncio
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from aiohttp import web

from cluster.endpoint import Endpoint, json_answer, problem, serve
from cluster.haproxy.admin import AdminSocket, NoAnswer
from cluster.router.admin import read_counters
from cluster.router.config import RouterConfig
from cluster.router.metrics import Metrics
from cluster.router.requestlog import Line

_ALLOWED = frozenset({"setpoint:api"})
_MINUTE = 60.0
Key = tuple[str, str]


class Figures:
    """HAProxy's counters are read once a minute, when somebody asks, and before they start over.

    `owners`: slot -> Route's key, as the driver keeps it."""

    def __init__(self, admin: AdminSocket, owners: Mapping[str, Key]):
        self._admin = admin
        self._owners = owners
        self._metrics = Metrics(time.time())

    async def begin(self) -> None:
        """HAProxy may have counted for long; only what comes from now on is of our window."""
        self._metrics.begin(await read_counters(self._admin))

    async def count(self) -> None:
        """Take the counters as they are. Without an answer nothing is lost but precision."""
        try:
            self._metrics.count(await read_counters(self._admin), self._owners, time.time())
        except (NoAnswer, TimeoutError):
            return

    def take(self, line: Line) -> None:
        key = self._owners.get(line.slot)
        if key is not None:
            self._metrics.sample(key, line.milliseconds, line.weight, time.time())

    async def each_minute(self) -> None:
        """For ever: so that the series has a figure for each minute."""
        while True:
            await asyncio.sleep(_MINUTE - time.time() % _MINUTE)
            await self.count()
            self._metrics.forget(self._owners)

    async def listen(self, config: RouterConfig) -> Endpoint:
        return await serve(
            [web.get("/v1/requests", self._requests)],
            host="127.0.0.1",
            port=0,
            cert=config.tls_cert,
            key=config.tls_key,
            ca=config.tls_ca,
            allowed=_ALLOWED,
        )

    async def _requests(self, request: web.Request) -> web.StreamResponse:
        namespace, project = request.query.get("namespace"), request.query.get("project")
        if not namespace or not project:
            return problem(400, "Name a namespace and a project.")
        await self.count()
        return json_answer(self._metrics.answer((namespace, project), datetime.now(UTC).timestamp()))
