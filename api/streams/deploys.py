"""The stream of one deploy: `status`, `log` and `done` events, from its beginning or behind the last one seen."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any

import orjson

from api.http.answers import Event
from api.http.shapes import utc_text
from api.platform import Platform
from api.runtime.protocol import RuntimeAway
from api.streams.script import Done, Item, LoopLine, StatusChange, script
from api.streams.tails import failure_log
from api.views.common import id_of
from api.views.deploy import error_view
from api.views.status import deploy_word, is_over
from crds.models.deploy import Deploy

_AGAIN_SECONDS = 0.2
# A finished build's log that cannot be had for so long is given up: the stream has to end.
_PATIENCE_SECONDS = 10.0
_LOOP = "setpoint"


def deploy_events(platform: Platform, deploy: Deploy, after: int) -> AsyncGenerator[Event, None]:
    """`after`: number of the last event that the client has; 0 for all."""
    return _DeployStream(platform, deploy).events(after)


class _DeployStream:
    def __init__(self, platform: Platform, deploy: Deploy):
        self._platform = platform
        self._last = deploy
        self._id = id_of(deploy)
        self._seq = 0

    def _deploy(self) -> Deploy:
        """As it is now; as it was last when it was removed meanwhile."""
        self._last = self._platform.records.deploys.by_uid(self._last.uid) or self._last
        return self._last

    async def events(self, after: int) -> AsyncGenerator[Event, None]:
        with self._platform.records.waking(self._last.namespace, self._last.spec.project) as woken:
            shown = 0
            while True:
                woken.clear()
                items = script(self._deploy())
                while shown < len(items):
                    async for event in self._of(items[shown], woken):
                        if self._seq > after:
                            yield event
                    if isinstance(items[shown], Done):
                        return
                    shown += 1
                    items = script(self._deploy())
                if self._is_gone():
                    return
                await woken.wait()

    def _is_gone(self) -> bool:
        return self._platform.records.deploys.by_uid(self._last.uid) is None

    async def _of(self, item: Item, woken: asyncio.Event) -> AsyncGenerator[Event, None]:
        if isinstance(item, StatusChange):
            yield self._event("status", {"deployId": self._id, "status": item.status})
        elif isinstance(item, LoopLine):
            yield self._log(item.at, item.phase, _LOOP, item.line)
        elif isinstance(item, Done):
            yield await self._done()
        else:
            async for event in self._build_output(woken):
                yield event

    async def _build_output(self, woken: asyncio.Event) -> AsyncGenerator[Event, None]:
        """The build's lines, each once, through restarts of the node that has them."""
        sent = 0
        patience = _PATIENCE_SECONDS
        while True:
            woken.clear()
            # Judged before the log is read: a log read after the build's end is a whole one.
            over = self._build_over()
            where = self._where()
            if where is not None:
                try:
                    async for line in self._platform.runtime.build_log(*where, sent + 1):
                        sent = line.seq
                        yield self._log(line.at, "build", line.stream, line.line)
                    if over:
                        return
                except RuntimeAway:
                    if over:
                        patience -= _AGAIN_SECONDS
                    if patience <= 0:
                        return
            elif over:
                return
            await self._wait(woken, None if where is None else _AGAIN_SECONDS)

    async def _wait(self, woken: asyncio.Event, seconds: float | None) -> None:
        try:
            await asyncio.wait_for(woken.wait(), seconds)
        except TimeoutError:
            return

    def _where(self) -> tuple[str, str, str] | None:
        """Node, namespace and name of the build, once a node has it."""
        status = self._deploy().status
        if not status.build or not status.build_node:
            return None
        return status.build_node, self._last.namespace, status.build

    def _build_over(self) -> bool:
        deploy = self._deploy()
        step = next((step for step in deploy.status.steps if step.name == "build"), None)
        return is_over(deploy) or self._is_gone() or (step is not None and step.finished_at is not None)

    async def _done(self) -> Event:
        deploy = self._deploy()
        data: dict[str, Any] = {"deployId": self._id, "status": deploy_word(deploy)}
        if deploy.status.url and deploy.status.phase == "live":
            data["url"] = deploy.status.url
        if deploy.status.failure is not None:
            error = error_view(deploy, await failure_log(self._platform.runtime, deploy))
            data["error"] = error.model_dump(mode="json", by_alias=True) if error else None
        return self._event("done", data)

    def _log(self, at: datetime, phase: str, stream: str, line: str) -> Event:
        data = {"seq": self._seq + 1, "at": utc_text(at), "phase": phase, "stream": stream, "line": line}
        return self._event("log", data)

    def _event(self, name: str, data: dict[str, Any]) -> Event:
        self._seq += 1
        return Event(name, orjson.dumps(data), f"{self._id}:{self._seq}")
