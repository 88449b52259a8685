"""How a project's requests fare, asked over mutual TLS."""

import asyncio
from typing import Any

import aiohttp

from cluster.router.config import RouterConfig
from crds.client.client import Client
from crds.client.errors import NotFound
from crds.models.core import Lease
from crds.names import SYSTEM_NAMESPACE
from tests.system.router.world import Site, apps, haproxy_pids
from tests.system.scheduler.world import NAMESPACE
from tests.unit.cluster.certificates import Authority
from tests.unit.cluster.eventually import eventually

SHOP = {"namespace": NAMESPACE, "project": "shop"}


async def endpoint(client: Client) -> str:
    for _ in range(500):
        try:
            lease = await client.get(Lease, "router", SYSTEM_NAMESPACE)
            return lease.metadata.annotations["setpoint.dev/endpoint"]
        except NotFound:
            await asyncio.sleep(0.01)
    raise AssertionError("no Lease `router`")


async def ask(
    client: Client, authority: Authority, query: dict[str, str], name: str = "setpoint:api"
) -> tuple[int, Any]:
    connector = aiohttp.TCPConnector(ssl=authority.client_context(authority.issue(name)))
    async with (
        aiohttp.ClientSession(connector=connector) as http,
        http.get(f"{await endpoint(client)}/v1/requests", params=query) as answer,
    ):
        return answer.status, await answer.json(content_type=None)


async def test_counts_errors_and_percentiles(routed: Site, client: Client, authority: Authority) -> None:
    async with apps("one", "two") as (one, two):
        await routed.deploy("shop", "shop-0-web", one)
        await routed.deploy("blog", "blog-0-web", two)
        for _ in range(20):
            await routed.get()
        for _ in range(3):
            await routed.get("/?status=500")
        await routed.get("/?status=404")
        await routed.get("/slow?seconds=0.3")
        await routed.get(host="blog--main.localhost")
        await asyncio.sleep(0.1)
        status, figures = await ask(client, authority, SHOP)
        assert status == 200
        assert (figures["window"], figures["total"], figures["errors"]) == ("PT15M", 25, 3)
        assert figures["sampled"] == 25
        assert 0 <= figures["p50Ms"] < 100
        assert 290 <= figures["p99Ms"] < 1000
        assert figures["perSecond"] > 0
        assert len(figures["series"]) == 15
        assert sum(entry["requests"] for entry in figures["series"]) == 25


async def test_counts_survive_a_reload_and_the_death_of_haproxy(
    routed: Site, client: Client, authority: Authority, config: RouterConfig
) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-0-web", one)
        for _ in range(5):
            await routed.get()
        before = haproxy_pids(config)
        for number in range(60):
            await routed.route(f"p{number}", "")
        await eventually(lambda: haproxy_pids(config) != before)
        # What the old worker answers while the new one comes may be missing.
        await eventually(lambda: routed.looked_at("p59"))
        for _ in range(4):
            await routed.get(headers={"Connection": "close"})
        _, figures = await ask(client, authority, SHOP)
        assert figures["total"] in (8, 9), "one may have gone over the connection that was open before"


async def test_a_project_without_requests(routed: Site, client: Client, authority: Authority) -> None:
    status, figures = await ask(client, authority, SHOP)
    assert status == 200
    assert (figures["total"], figures["p50Ms"], figures["p95Ms"], figures["p99Ms"]) == (0, None, None, None)


async def test_only_the_api_may_ask(routed: Site, client: Client, authority: Authority) -> None:
    assert (await ask(client, authority, SHOP, name="setpoint:node-1"))[0] == 403
    assert (await ask(client, authority, {"project": "shop"}))[0] == 400
