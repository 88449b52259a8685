"""The local runtime: node agents and the router, asked over mutual TLS at the endpoints that the records name."""

import asyncio
import ssl
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import aiohttp
import orjson
from pydantic import ValidationError

from api.runtime.merge import merged_streams, newest
from api.runtime.protocol import (
    BuildLine,
    InstanceUsage,
    LogLine,
    LogQuery,
    RequestUsage,
    RuntimeAway,
)
from crds.client.client import Client
from crds.client.errors import ApiError
from crds.client.store import Store
from crds.models.computenode import ComputeNode
from crds.models.core import Lease
from crds.models.record import GROUP, Shape
from crds.names import SYSTEM_NAMESPACE

S = TypeVar("S", bound=Shape)
_AWAY = (
    aiohttp.ClientError,
    TimeoutError,
    OSError,
    orjson.JSONDecodeError,
    ValidationError,
    asyncio.IncompleteReadError,
)
_ONCE = aiohttp.ClientTimeout(total=10, sock_connect=3)
_FOLLOWING = aiohttp.ClientTimeout(total=None, sock_connect=3)
_AGAIN_SECONDS = 1.0
_LONGEST_LINE = 4 * 1024 * 1024
_ENDPOINT = f"{GROUP}/endpoint"
ROUTER_LEASE = "router"


class LocalRuntime:
    """Answers `api.runtime.protocol.Runtime`. Made by `open`, ended by `close`."""

    def __init__(self, session: aiohttp.ClientSession, nodes: Store[ComputeNode], client: Client):
        self._session = session
        self._nodes = nodes
        self._client = client

    @classmethod
    def open(cls, *, cert: Path, key: Path, ca: Path, nodes: Store[ComputeNode], client: Client) -> "LocalRuntime":
        context = ssl.create_default_context(cafile=str(ca))
        context.load_cert_chain(cert, key)
        connector = aiohttp.TCPConnector(ssl=context, limit=0)
        session = aiohttp.ClientSession(connector=connector, trust_env=False, read_bufsize=_LONGEST_LINE)
        return cls(session, nodes, client)

    async def close(self) -> None:
        await self._session.close()

    async def build_log(self, node: str, namespace: str, build: str, start: int) -> AsyncGenerator[BuildLine, None]:
        path = f"/v1/builds/{_safe(namespace)}/{_safe(build)}/log"
        async for value in self._lines(node, path, {"from": str(start), "follow": "1"}):
            yield _shape(BuildLine, value)

    async def build_tail(self, node: str, namespace: str, build: str, count: int) -> list[str]:
        path = f"/v1/builds/{_safe(namespace)}/{_safe(build)}/log"
        last: deque[str] = deque(maxlen=count)
        async for value in self._lines(node, path, {"from": "1"}, _ONCE):
            last.append(_shape(BuildLine, value).line)
        return list(last)

    async def log_page(self, query: LogQuery) -> list[tuple[str, LogLine]]:
        nodes = [node.name for node in self._nodes.list() if node.status.endpoint]
        found = await asyncio.gather(*(self._page(node, query) for node in nodes), return_exceptions=True)
        pages = [page for page in found if not isinstance(page, BaseException)]
        for failure in found:
            if isinstance(failure, BaseException) and not isinstance(failure, RuntimeAway):
                raise failure
        if nodes and not pages:
            raise RuntimeAway("No compute node answers")
        return newest([line for page in pages for line in page], query.limit)

    async def _page(self, node: str, query: LogQuery) -> list[tuple[str, LogLine]]:
        path, params = _log_request(query)
        return [(node, _shape(LogLine, value)) async for value in self._lines(node, path, params, _ONCE)]

    async def instance_tail(self, node: str, namespace: str, project: str, instance: str, count: int) -> list[str]:
        path, params = _log_request(LogQuery(namespace, project, limit=count))
        params["instance"] = instance
        return [_shape(LogLine, value).line async for value in self._lines(node, path, params, _ONCE)]

    def follow_log(self, query: LogQuery, after: Mapping[str, str]) -> AsyncGenerator[tuple[str, LogLine], None]:
        def names() -> set[str]:
            return {node.name for node in self._nodes.list() if node.status.endpoint}

        return merged_streams(names, lambda node: self._follow(node, query, after.get(node)), self._nodes.subscribe)

    async def _follow(self, node: str, query: LogQuery, after: str | None) -> AsyncGenerator[tuple[str, LogLine], None]:
        """One node's lines for ever; asked again when it is away."""
        while True:
            path, params = _log_request(query)
            params["follow"] = "1"
            if after is not None:
                params["after"] = after
            try:
                async for value in self._lines(node, path, params):
                    line = _shape(LogLine, value)
                    after = line.cursor
                    yield node, line
            except RuntimeAway:
                pass
            await asyncio.sleep(_AGAIN_SECONDS)

    async def usage(self, namespace: str, project: str, nodes: frozenset[str]) -> list[InstanceUsage]:
        params = {"namespace": namespace, "project": project}
        asked = [self._object(self._endpoint(node), "/v1/usage", params, f"Node {node}") for node in sorted(nodes)]
        found = await asyncio.gather(*asked, return_exceptions=True)
        answers = [value for value in found if isinstance(value, dict)]
        if nodes and not answers:
            raise RuntimeAway("No compute node of the project answers")
        usages = [_shape(InstanceUsage, item) for answer in answers for item in answer.get("instances", [])]
        return [usage for usage in usages if usage.namespace == namespace and usage.project == project]

    async def requests(self, namespace: str, project: str) -> RequestUsage:
        try:
            lease = await self._client.get(Lease, ROUTER_LEASE, SYSTEM_NAMESPACE)
        except ApiError as error:
            raise RuntimeAway("The router is not known") from error
        endpoint = lease.metadata.annotations.get(_ENDPOINT)
        params = {"namespace": namespace, "project": project}
        return _shape(RequestUsage, await self._object(endpoint, "/v1/requests", params, "The router"))

    def _endpoint(self, node: str) -> str | None:
        record = self._nodes.get(None, node)
        return record.status.endpoint if record else None

    async def _object(self, endpoint: str | None, path: str, params: dict[str, str], who: str) -> dict[str, Any]:
        if endpoint is None:
            raise RuntimeAway(f"{who} has no endpoint")
        try:
            async with self._session.get(endpoint + path, params=params, timeout=_ONCE) as answer:
                if answer.status != 200:
                    raise RuntimeAway(f"{who} answered {answer.status}")
                value = orjson.loads(await answer.read())
        except _AWAY as error:
            raise RuntimeAway(f"{who} does not answer") from error
        if not isinstance(value, dict):
            raise RuntimeAway(f"{who} gave an answer that was not expected")
        return value

    async def _lines(
        self, node: str, path: str, params: dict[str, str], timeout: aiohttp.ClientTimeout = _FOLLOWING
    ) -> AsyncGenerator[Any, None]:
        """One JSON value a line. A log that the node does not have is empty."""
        endpoint = self._endpoint(node)
        if endpoint is None:
            raise RuntimeAway(f"Node {node} has no endpoint")
        try:
            async with self._session.get(endpoint + path, params=params, timeout=timeout) as answer:
                if answer.status == 404:
                    return
                if answer.status != 200:
                    raise RuntimeAway(f"Node {node} answered {answer.status}")
                async for line in answer.content:
                    if line.strip():
                        yield orjson.loads(line)
        except _AWAY as error:
            raise RuntimeAway(f"Node {node} does not answer") from error


def _log_request(query: LogQuery) -> tuple[str, dict[str, str]]:
    params = {"limit": str(query.limit)}
    if query.since is not None:
        params["since"] = _iso(query.since)
    return f"/v1/logs/{_safe(query.namespace)}/{_safe(query.project)}", params


def _iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _safe(segment: str) -> str:
    return quote(segment, safe="")


def _shape(model: type[S], value: Any) -> S:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise RuntimeAway("A node gave an answer that was not expected") from error
