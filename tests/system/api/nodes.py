"""A compute node that a test plays: the TLS endpoint of the protocol, with logs and figures that the test writes."""

import asyncio
import contextlib
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from crds.client.client import Client
from crds.models.computenode import ComputeNode
from crds.models.record import Metadata
from tests.system.api.house import House


@dataclass
class Build:
    lines: list[dict[str, Any]] = field(default_factory=list)
    over: bool = False


@dataclass
class PlayedNode:
    """Lines are added by the test; followers are woken by `tell`."""

    name: str
    builds: dict[tuple[str, str], Build] = field(default_factory=lambda: defaultdict(Build))
    logs: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    usage: list[dict[str, Any]] = field(default_factory=list)
    requests: dict[str, Any] = field(default_factory=dict)
    url: str = ""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def build_line(self, namespace: str, build: str, text: str) -> None:
        lines = self.builds[namespace, build].lines
        at = f"2026-11-21T10:00:{len(lines) % 60:02d}Z"
        lines.append({"seq": len(lines) + 1, "at": at, "stream": "stdout", "line": text})
        self.tell()

    def end_build(self, namespace: str, build: str) -> None:
        self.builds[namespace, build].over = True
        self.tell()

    def log_line(self, namespace: str, project: str, text: str, at: str, instance: str = "one") -> None:
        line = {"at": at, "instance": instance, "process": "web", "stream": "stdout", "line": text, "cursor": at}
        self.logs[namespace, project].append(line)
        self.tell()

    async def _build_log(self, request: web.Request) -> web.StreamResponse:
        key = (request.match_info["namespace"], request.match_info["build"])
        if key not in self.builds:
            return web.Response(status=404)
        answer = web.StreamResponse()
        await answer.prepare(request)
        at = int(request.query["from"])
        while True:
            changed, build = self._changed, self.builds[key]
            for line in build.lines[at - 1 :]:
                await answer.write(orjson.dumps(line) + b"\n")
                at += 1
            if build.over or request.query.get("follow") != "1":
                return answer
            await changed.wait()

    async def _logs(self, request: web.Request) -> web.StreamResponse:
        key = (request.match_info["namespace"], request.match_info["project"])
        query, answer = request.query, web.StreamResponse()
        await answer.prepare(request)
        after, limit = query.get("after", ""), int(query["limit"])
        while True:
            changed = self._changed
            lines = [line for line in self.logs[key] if line["cursor"] > after and line["at"] >= query.get("since", "")]
            lines = [line for line in lines if query.get("instance") in (None, line["instance"])][-limit:]
            for line in lines:
                await answer.write(orjson.dumps(line) + b"\n")
                after = line["cursor"]
            if query.get("follow") != "1":
                return answer
            limit = 10_000
            await changed.wait()

    async def _usage(self, _request: web.Request) -> web.Response:
        return web.Response(body=orjson.dumps({"at": "2026-11-21T10:00:00Z", "instances": self.usage}))

    async def _requests(self, _request: web.Request) -> web.Response:
        return web.Response(body=orjson.dumps(self.requests))

    @contextlib.asynccontextmanager
    async def listening(self, house: House) -> AsyncIterator[None]:
        certs = house.server.folder / "certs"
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(certs / "ca.crt"))
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(certs / "server.crt", certs / "server.key")
        app = web.Application()
        app.router.add_get("/v1/builds/{namespace}/{build}/log", self._build_log)
        app.router.add_get("/v1/logs/{namespace}/{project}", self._logs)
        app.router.add_get("/v1/usage", self._usage)
        app.router.add_get("/v1/requests", self._requests)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        port = int(self.url.rpartition(":")[2]) if self.url else 0
        site = web.TCPSite(runner, "127.0.0.1", port, ssl_context=context)
        await site.start()
        self.url = f"https://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield
        finally:
            await runner.cleanup()


@contextlib.asynccontextmanager
async def played_node(house: House, client: Client, name: str) -> AsyncIterator[PlayedNode]:
    """A node with a record that names its endpoint; both are gone afterwards."""
    node = PlayedNode(name)
    async with node.listening(house), recorded(client, node):
        yield node


@contextlib.asynccontextmanager
async def recorded(client: Client, node: PlayedNode) -> AsyncIterator[None]:
    """The record of a node that has listened once, so that its address is known."""
    record = await client.create(ComputeNode(metadata=Metadata(name=node.name)))
    allocatable = {"cpu": 4.0, "memoryBytes": 4 * 2**30, "instances": 0}
    await client.patch_status(record, {"endpoint": node.url, "allocatable": allocatable})
    try:
        yield
    finally:
        await client.delete(ComputeNode, node.name)
