"""The mutual-TLS listener: who gets in, and who does not."""

import ssl
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from cluster.endpoint import Endpoint, json_answer, serve
from tests.unit.cluster.certificates import Authority, Pair


async def _hello(_: web.Request) -> web.StreamResponse:
    return json_answer({"hello": "there"})


async def _open(authority: Authority) -> Endpoint:
    pair = authority.issue("setpoint:node-1")
    return await serve(
        [web.get("/hello", _hello)],
        host="127.0.0.1",
        port=0,
        cert=pair.cert,
        key=pair.key,
        ca=authority.ca,
        allowed=frozenset({"setpoint:api"}),
    )


async def _status(url: str, context: ssl.SSLContext) -> int:
    connector = aiohttp.TCPConnector(ssl=context)
    async with aiohttp.ClientSession(connector=connector) as session, session.get(f"{url}/hello") as answer:
        return answer.status


async def test_a_named_part_is_answered_and_another_is_refused(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    endpoint = await _open(authority)
    try:
        assert await _status(endpoint.url, authority.client_context(authority.issue("setpoint:api"))) == 200
        assert await _status(endpoint.url, authority.client_context(authority.issue("setpoint:other"))) == 403
    finally:
        await endpoint.close()


@pytest.mark.parametrize("stranger", [True, False])
async def test_without_a_certificate_of_our_authority_nobody_gets_in(tmp_path: Path, stranger: bool) -> None:
    authority = Authority(tmp_path / "ours")
    pair: Pair | None = Authority(tmp_path / "theirs").issue("setpoint:api") if stranger else None
    endpoint = await _open(authority)
    try:
        with pytest.raises((aiohttp.ClientError, ssl.SSLError, ConnectionError)):
            await _status(endpoint.url, authority.client_context(pair))
    finally:
        await endpoint.close()
