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
from kubernetes.aio.config.kube_config import load_kube_config

from crds.client.errors import Unavailable, error_for

_REQUEST_SECONDS = 30
_NETWORK = (aiohttp.ClientError, TimeoutError, asyncio.IncompleteReadError, ssl.SSLError, OSError)


class Transport:
    """Speaks HTTP with credentials from a kubeconfig. Made by `open`, ended by `close`."""

    def __init__(self, configuration: Configuration, user_agent: str):
        self._rest = RESTClientObject(configuration)
        self._base = configuration.host.rstrip("/")
        self._configuration = configuration
        self._user_agent = user_agent

    @classmethod
    async def open(cls, kubeconfig: Path, user_agent: str) -> "Transport":
        configuration = Configuration()
        # A proxy of the environment is for the world outside, never for the state store.
        configuration.client_session_kwargs = {"trust_env": False}
        configuration.connection_pool_maxsize = 64
        await load_kube_config(  # type: ignore[no-untyped-call]
            config_file=str(kubeconfig), client_configuration=configuration, persist_config=False
        )
        return cls(configuration, user_agent)

    async def close(self) -> None:
        await self._rest.close()

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
        try:
            response = await self._rest.request(  # type: ignore[no-untyped-call]
                method,
                self._url(path, query),
                headers=await self._headers(content_type),
                body=body,
                _request_timeout=_REQUEST_SECONDS,
            )
            data = await response.read()
        except _NETWORK as error:
            raise Unavailable(f"The state store does not answer ({type(error).__name__}).") from error
        return _decode(response.status, data)

    async def lines(self, path: str, query: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """One JSON object a line, until the server ends the stream. Raises as `request` does."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=90)
        try:
            response = await self._rest.request(  # type: ignore[no-untyped-call]
                "GET", self._url(path, query), headers=await self._headers(None), _request_timeout=timeout
            )
            raw: aiohttp.ClientResponse = response.response
            async with raw:
                if raw.status != 200:
                    _decode(raw.status, await raw.read())
                async for line in raw.content:
                    yield orjson.loads(line)
        except _NETWORK as error:
            raise Unavailable(f"The watch broke ({type(error).__name__}).") from error


def _decode(status: int, data: bytes) -> dict[str, Any]:
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError:
        body = data
    if status >= 400 or not isinstance(body, dict):
        raise error_for(status, body)
    return body
