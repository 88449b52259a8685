"""Changes under load: nothing fails, nothing is cut."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic

import aiohttp

from cluster.router.config import RouterConfig
from cluster.router.driver import run
from tests.system.router.world import App, Site, apps, as_process, haproxy_pids
from tests.system.scheduler.world import background
from tests.unit.cluster.eventually import eventually

HEADERS = {"Host": "shop--main.localhost"}


@dataclass
class Load:
    """New connections all the time, some that are kept open, and slow requests; what went wrong is kept."""

    site: Site
    answers: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    async def new_connections(self, a_second: int = 50) -> None:
        connector = aiohttp.TCPConnector(force_close=True, limit=0)
        async with aiohttp.ClientSession(connector=connector) as http, asyncio.TaskGroup() as tasks:
            while True:
                tasks.create_task(self._ask(http, "/"))
                await asyncio.sleep(1 / a_second)

    async def kept_open(self) -> None:
        connector = aiohttp.TCPConnector(limit=1)
        async with aiohttp.ClientSession(connector=connector) as http:
            while True:
                await self._ask(http, "/")
                await asyncio.sleep(0.01)

    async def slow(self) -> None:
        async with aiohttp.ClientSession() as http:
            while True:
                await self._ask(http, "/slow?seconds=0.7")

    async def _ask(self, http: aiohttp.ClientSession, path: str) -> None:
        try:
            async with http.get(self.site.url + path, headers=HEADERS) as answer:
                text = await answer.text()
                if answer.status != 200:
                    self.failures.append(f"{path}: {answer.status} {text[:60]}")
                self.answers[text] += 1
        except aiohttp.ClientError as error:
            self.failures.append(f"{path}: {error!r}")


@asynccontextmanager
async def load(site: Site) -> AsyncIterator[Load]:
    made = Load(site)
    async with background(made.new_connections()), background(made.slow()), background(made.slow()):
        keeping = [asyncio.create_task(made.kept_open()) for _ in range(10)]
        try:
            yield made
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)


async def redeploy(site: Site, number: int, new: App, old: App) -> None:
    """As the controller, the scheduler and an agent do it together."""
    name, before = f"shop-{number}-web", f"shop-{number - 1}-web"
    await site.workload(name, drain_seconds=5)
    await site.instance(name, 1, new.address)
    await site.switch("shop", name)
    await site.end(f"{before}-1")
    await old.stop()


async def test_redeploys_under_load(routed: Site) -> None:
    names = [f"v{number}" for number in range(6)]
    async with apps(*names) as versions:
        await routed.deploy("shop", "shop-0-web", versions[0], drain_seconds=5)
        async with load(routed) as traffic:
            for number in range(1, len(versions)):
                await asyncio.sleep(0.3)
                await redeploy(routed, number, versions[number], versions[number - 1])
            await asyncio.sleep(0.5)
        print(f"requests: {sum(traffic.answers.values())}, failed: {len(traffic.failures)}")
        assert traffic.failures == []
        assert set(traffic.answers) == set(names)
        assert sum(traffic.answers.values()) > 500


async def test_a_web_socket_and_an_event_stream_outlive_fifty_new_projects_and_the_drains_of_others(
    routed: Site, config: RouterConfig
) -> None:
    async with apps("one", "two", "three") as (one, two, three):
        await routed.deploy("shop", "shop-0-web", one, drain_seconds=5)
        await routed.deploy("blog", "blog-0-web", two)
        before = haproxy_pids(config)
        socket = await routed.http.ws_connect(f"{routed.url}/ws", headers=HEADERS)
        stream = await routed.http.get(f"{routed.url}/events", headers=HEADERS, timeout=aiohttp.ClientTimeout())
        async with load(routed) as traffic:
            for number in range(70):
                await routed.deploy(f"p{number}", f"p{number}-0-web", three)
                assert (await routed.get(host=f"p{number}--main.localhost")) == (200, "three")
                if number % 10 == 0:
                    await socket.send_str(str(number))
                    assert await socket.receive_str(timeout=5) == f"one: {number}"
            await routed.workload("blog-1-web", "blog")
            await routed.instance("blog-1-web", 1, one.address)
            await routed.switch("blog", "blog-1-web")
            await routed.end("blog-0-web-1")
        assert traffic.failures == []
        assert haproxy_pids(config) > before, "there was a reload, and the old worker lives on"
        await socket.send_str("still here")
        assert await socket.receive_str(timeout=5) == "one: still here"
        numbers = [line async for line in _lines(stream, 3)]
        assert len(numbers) == 3
        stream.close()
        await socket.close()
        await eventually(lambda: len(haproxy_pids(config)) == 2, what="the old worker ends when all is closed")


async def test_a_connection_that_was_kept_open_over_a_reload_sees_the_changes_since(
    routed: Site, config: RouterConfig
) -> None:
    async with apps("one", "two") as (one, two):
        await routed.deploy("shop", "shop-0-web", one)
        reader, writer = await asyncio.open_connection("127.0.0.1", routed.port)
        assert b"one" in await _ask(reader, writer, "shop--main.localhost", "/")
        before = haproxy_pids(config)
        for number in range(60):
            await routed.route(f"p{number}", "")
        await eventually(lambda: haproxy_pids(config) > before)
        await routed.workload("shop-1-web")
        await routed.instance("shop-1-web", 1, two.address)
        await routed.switch("shop", "shop-1-web")
        await routed.end("shop-0-web-1")
        await one.stop()
        answer = await _ask(reader, writer, "shop--main.localhost", "/headers")
        assert b"200 OK" in answer
        assert b'["X-Forwarded-For", "127.0.0.1"]' in answer.replace(b"x-forwarded-for", b"X-Forwarded-For")
        assert b"connection: close" in answer.lower()
        writer.close()
        await eventually(lambda: len(haproxy_pids(config)) == 2)


async def test_a_reload_does_not_shorten_the_time_to_finish(routed: Site, config: RouterConfig) -> None:
    async with apps("one", "two") as (one, two):
        await routed.deploy("shop", "shop-0-web", one, drain_seconds=60)
        async with routed.http.ws_connect(f"{routed.url}/ws", headers=HEADERS) as socket:
            await _leave(routed, two)
            for round_ in range(3):
                before = haproxy_pids(config)
                for number in range(60):
                    await routed.route(f"p{round_}-{number}", "")
                await eventually(lambda before=before: haproxy_pids(config) - before)  # type: ignore[misc]
                await socket.send_str("still")
                assert await socket.receive_str(timeout=5) == "one: still"
                assert not routed.let_go("shop-0-web-1")
        await eventually(lambda: routed.let_go("shop-0-web-1"), seconds=10)


async def test_a_driver_that_comes_back_after_a_reload_lets_old_connections_finish(
    config: RouterConfig, site: Site
) -> None:
    async with apps("one", "two") as (one, two):
        driver = await as_process(config)
        await site.deploy("shop", "shop-0-web", one, drain_seconds=5)
        async with site.http.ws_connect(f"{site.url}/ws", headers=HEADERS) as socket:
            try:
                before = haproxy_pids(config)
                for number in range(60):
                    await site.route(f"p{number}", "")
                await eventually(lambda: haproxy_pids(config) - before)
                await _leave(site, two)
            finally:
                driver.kill()
                await driver.wait()
            async with background(run(config)):
                await site.route("blog", "")
                await eventually(lambda: site.looked_at("blog"))
                assert not site.let_go("shop-0-web-1")
                await socket.send_str("still")
                assert await socket.receive_str(timeout=5) == "one: still"
                await eventually(lambda: site.let_go("shop-0-web-1"), seconds=15)


async def _leave(site: Site, to: App) -> None:
    """Another version is served, and the old instance is to go when its connections have."""
    await site.workload("shop-1-web", drain_seconds=60)
    await site.instance("shop-1-web", 1, to.address)
    await site.switch("shop", "shop-1-web")
    await site.delete_instance("shop-0-web-1")


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str) -> bytes:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    return head + await asyncio.wait_for(reader.readexactly(length), 5)


async def _lines(stream: aiohttp.ClientResponse, count: int) -> AsyncIterator[bytes]:
    async for line in stream.content:
        if line.strip():
            yield line
            count -= 1
        if count == 0:
            return


async def test_the_old_ones_go_on_until_one_of_the_new_is_ready(routed: Site) -> None:
    async with apps("one", "two") as (one, two):
        await routed.deploy("shop", "shop-0-web", one)
        await routed.workload("shop-1-web")
        await routed.instance("shop-1-web", 1, two.address, ready=False)
        switching = asyncio.create_task(routed.switch("shop", "shop-1-web"))
        await eventually(lambda: routed.reasons()[:1] == ["WaitingForInstance"])
        assert await routed.get() == (200, "one")
        await routed.set_status("shop-1-web-1", {"ready": True})
        await switching
        assert await routed.get() == (200, "two")


async def test_traffic_leaves_before_the_finalizer_goes(routed: Site) -> None:
    async with apps("one", "two") as (one, two):
        await routed.deploy("shop", "shop-0-web", one)
        await routed.instance("shop-0-web", 2, two.address)
        await routed.until_served("two")
        slow = [asyncio.create_task(routed.get("/slow?seconds=1.5")) for _ in range(8)]
        await asyncio.sleep(0.3)
        begun = monotonic()
        await routed.delete_instance("shop-0-web-1")
        await asyncio.sleep(0.1)
        assert {(await routed.get())[1] for _ in range(30)} == {"two"}
        assert not routed.let_go("shop-0-web-1")
        await eventually(lambda: routed.let_go("shop-0-web-1"))
        took = monotonic() - begun
        answers = await asyncio.gather(*slow)
        assert {status for status, _ in answers} == {200}
        assert {text for _, text in answers} == {"one", "two"}
        assert 0.8 < took < 3


async def test_what_does_not_end_within_its_time_is_cut(routed: Site) -> None:
    async with apps("one") as (one,):
        await routed.deploy("shop", "shop-0-web", one, drain_seconds=1)
        async with routed.http.ws_connect(f"{routed.url}/ws", headers=HEADERS) as socket:
            await socket.send_str("a")
            assert await socket.receive_str(timeout=5) == "one: a"
            begun = monotonic()
            await routed.delete_instance("shop-0-web-1")
            await eventually(lambda: routed.let_go("shop-0-web-1"))
            assert 0.9 < monotonic() - begun < 4
            with suppress(ConnectionError):
                assert (await socket.receive(timeout=5)).type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)


async def test_an_instance_that_no_route_names_is_let_go_at_once(routed: Site) -> None:
    async with apps("one") as (one,):
        await routed.workload("lonely-1-web", drain_seconds=60)
        await routed.instance("lonely-1-web", 1, one.address)
        await routed.delete_instance("lonely-1-web-1")
        await eventually(lambda: routed.let_go("lonely-1-web-1"), seconds=5)


async def test_an_instance_that_is_killed_costs_no_quick_request(routed: Site) -> None:
    async with apps("one", "two") as (one, two):
        await routed.deploy("shop", "shop-0-web", one)
        await routed.instance("shop-0-web", 2, two.address)
        await routed.until_served("two")
        async with load(routed) as traffic:
            await asyncio.sleep(0.5)
            await two.stop()
            await asyncio.sleep(0.5)
            await routed.set_status("shop-0-web-2", {"ready": False, "phase": "crashed"})
            await asyncio.sleep(0.5)
        assert traffic.failures == []
