"""One connection pool to the API server that a kubeconfig names: JSON requests, and streams of JSON lines."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
import orjson
from kubernetes.aio.client.configuration import Configuration
from kubernetes.aio.client.rest import RESTClientObject
from kubernetes.aio.config.config_exception import ConfigException
from kubernetes.aio.config.kube_config import load_kube_config

from crds.client.errors import Unavailable, error_for

_REQUEST_SECONDS = 30
_UNAUTHORIZED = 401
_NETWORK = (aiohttp.ClientError, TimeoutError, asyncio.IncompleteReadError, ssl.SSLError, OSError)


class Transport:
    """Speaks HTTP with credentials from a kubeconfig. Made by `open`, ended by `close`."""

    def __init__(self, configuration: Configuration, user_agent: str, kubeconfig: Path):
        self._rest = RESTClientObject(configuration)
        self._kubeconfig = kubeconfig
        self._base = configuration.host.rstrip("/")
        self._configuration = configuration
        self._user_agent = user_agent

    @classmethod
    async def open(cls, kubeconfig: Path, user_agent: str) -> "Transport":
        return cls(await _loaded(kubeconfig), user_agent, kubeconfig)

    async def close(self) -> None:
        await self._rest.close()

    async def _has_new_token(self) -> bool:
        """Ours is refused: it may have been renewed since the file was read."""
        before = await self._configuration.get_api_key_with_prefix("BearerToken")
        try:
            renewed = await _loaded(self._kubeconfig)
        except (OSError, ConfigException):
            return False
        self._configuration.api_key = renewed.api_key
        return bool(await self._configuration.get_api_key_with_prefix("BearerToken") != before)

    async def _headers(self, content_type: str | None) -> dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": self._user_agent}
        token = await self._configuration.get_api_key_with_prefix("BearerToken")
        if token:
            headers["Authorization"] = token
        if content_type:
            headers["Content-Type"] = content_type
        return headers

    def _url(self, path: str, query: dict[str, Any] | None) -> str:
        return f"{self._base}{path}" + (f"?{urlencode(query)}" if query else "")

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        content_type: str | None = None,
    ) -> dict[str, Any]:
        """The answer's JSON object. Raises the errors of `crds.client.errors`."""
        url = self._url(path, query)
        status, data = await self._send(method, url, body, content_type)
        if status == _UNAUTHORIZED and await self._has_new_token():
            status, data = await self._send(method, url, body, content_type)
        return _decode(status, data)

    async def _send(self, method: str, url: str, body: Any, content_type: str | None) -> tuple[int, bytes]:
        try:
            response = await self._rest.request(  # type: ignore[no-untyped-call]
                method,
                url,
                headers=await self._headers(content_type),
                body=body,
                _request_timeout=_REQUEST_SECONDS,
            )
            return response.status, await response.read()
        except _NETWORK as error:
            raise Unavailable(f"The state store does not answer ({type(error).__name__}).") from error

    async def lines(self, path: str, query: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """One JSON object a line, until the server ends the stream. Raises as `request` does."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=90)
        try:
            response = await self._rest.request(  # type: ignore[no-untyped-call]
                "GET", self._url(path, query), headers=await self._headers(None), _request_timeout=timeout
            )
            raw: aiohttp.ClientResponse = response.response
            async with raw:
                if raw.status == _UNAUTHORIZED:
                    # For the next attempt, which the reader of a broken watch makes.
                    await self._has_new_token()
                if raw.status != 200:
                    _decode(raw.status, await raw.read())
                async for line in raw.content:
                    yield orjson.loads(line)
        except _NETWORK as error:
            raise Unavailable(f"The watch broke ({type(error).__name__}).") from error


async def _loaded(kubeconfig: Path) -> Configuration:
    configuration = Configuration()
    # A proxy of the environment is for the world outside, never for the state store.
    configuration.client_session_kwargs = {"trust_env": False}
    configuration.connection_pool_maxsize = 64
    await load_kube_config(  # type: ignore[no-untyped-call]
        config_file=str(kubeconfig), client_configuration=configuration, persist_config=False
    )
    return configuration


def _decode(status: int, data: bytes) -> dict[str, Any]:
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError:
        body = data
    if status >= 400 or not isinstance(body, dict):
        raise error_for(status, body)
    return body
