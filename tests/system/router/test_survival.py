"""The driver and HAProxy die in turn."""

import asyncio
import os
import signal
from dataclasses import replace
from time import monotonic

import pytest

from cluster.haproxy.process import CannotStart
from cluster.router.config import RouterConfig
from cluster.router.driver import run
from tests.contract.apiserver.server import Server
from tests.system.router.world import Site, apps, as_process, haproxy_pids
from tests.system.scheduler.world import background
from tests.unit.cluster.eventually import eventually


async def test_haproxy_goes_on_without_its_driver_and_is_found_again(config: RouterConfig, site: Site) -> None:
    async with apps("one", "two") as (one, two):
        driver = await as_process(config)
        await site.deploy("shop", "shop-0-web", one)
        driver.kill()
        await driver.wait()
        before = haproxy_pids(config)
        assert len(before) == 2
        assert await site.get() == (200, "one")
        await site.workload("shop-1-web")
        await site.instance("shop-1-web", 1, two.address)
        switching = asyncio.create_task(site.switch("shop", "shop-1-web"))
        await site.workload("blog-0-web", "blog")
        await site.instance("blog-0-web", 1, one.address)
        await site.route("blog", "blog-0-web")
        await site.delete_instance("shop-0-web-1")
        async with background(run(config)):
            await switching
            assert await site.get() == (200, "two")
            await site.until_served("one", host="blog--main.localhost")
            await eventually(lambda: site.let_go("shop-0-web-1"))
            assert haproxy_pids(config) == before
        assert haproxy_pids(config) == set(), "a clean stop ends HAProxy too"


async def test_a_driver_killed_in_the_middle_of_anything_converges(config: RouterConfig, site: Site) -> None:
    async with apps("v0", "v1", "v2", "v3") as versions:
        driver = await as_process(config)
        await site.deploy("shop", "shop-0-web", versions[0])
        try:
            for number in range(1, 4):
                name, before = f"shop-{number}-web", f"shop-{number - 1}-web-1"
                await site.workload(name)
                await site.instance(name, 1, versions[number].address)
                switching = asyncio.create_task(site.switch("shop", name))
                driver = await _replaced(driver, config, after=0.004 * number)
                assert (await site.get())[1] in (f"v{number - 1}", f"v{number}")
                await switching
                await site.delete_instance(before)
                driver = await _replaced(driver, config, after=0.004 * number)
                assert await site.get() == (200, f"v{number}")
                await eventually(lambda before=before: site.let_go(before))  # type: ignore[misc]
            assert len(haproxy_pids(config)) == 2
        finally:
            driver.kill()
            await driver.wait()


async def _replaced(
    driver: asyncio.subprocess.Process, config: RouterConfig, after: float
) -> asyncio.subprocess.Process:
    """Killed at some point of what it is doing, and started again."""
    await asyncio.sleep(after)
    driver.kill()
    await driver.wait()
    return await as_process(config)


@pytest.mark.parametrize("victim", ["worker", "master", "both"])
async def test_haproxy_is_back_within_a_second_with_everything(routed: Site, config: RouterConfig, victim: str) -> None:
    async with apps("one", "two") as (one, two):
        await routed.deploy("shop", "shop-0-web", one)
        await routed.deploy("blog", "blog-0-web", two)
        for _ in range(3):
            pids = sorted(haproxy_pids(config))
            begun = monotonic()
            for pid in {"worker": pids[1:], "master": pids[:1], "both": pids}[victim]:
                os.kill(pid, signal.SIGKILL)
            await eventually(lambda before=pids: len(haproxy_pids(config) - set(before)) == 2)  # type: ignore[misc]
            await routed.until_served("one")
            assert monotonic() - begun < 1
            assert await routed.get(host="blog--main.localhost") == (200, "two")
        await routed.workload("shop-1-web")
        await routed.instance("shop-1-web", 1, two.address)
        await routed.switch("shop", "shop-1-web")
        assert await routed.get() == (200, "two")


async def test_without_the_api_server_haproxy_serves_what_it_had(
    config: RouterConfig, site: Site, server: Server
) -> None:
    async with apps("one") as (one,):
        driver = await as_process(config)
        await site.deploy("shop", "shop-0-web", one)
        driver.kill()
        await driver.wait()
        for pid in haproxy_pids(config):
            os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(server.kill)
        async with background(run(config)):
            await site.until_served("one")
            await asyncio.to_thread(server.start)
            await asyncio.sleep(1)
            assert await site.get() == (200, "one")


async def test_only_one_driver_works_in_a_folder(routed: Site, config: RouterConfig) -> None:
    await eventually(lambda: haproxy_pids(config))
    with pytest.raises(CannotStart, match="Another router driver is at work"):
        await run(config)


async def test_a_port_that_is_taken_is_said(config: RouterConfig, site: Site) -> None:
    listener = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", config.port)
    async with listener:
        with pytest.raises(CannotStart, match=f"cannot listen on 127.0.0.1:{config.port}"):
            await run(config)
    assert haproxy_pids(config) == set()


async def test_two_routers_side_by_side(routed: Site, config: RouterConfig) -> None:
    """Another folder on the same port is refused: it would take half of the requests without a word."""
    await eventually(lambda: len(haproxy_pids(config)) == 2)
    other = replace(config, data_dir=config.data_dir.parent / "other")
    with pytest.raises(CannotStart, match="cannot listen"):
        await run(other)


async def test_files_that_haproxy_does_not_take_are_begun_anew(config: RouterConfig, site: Site) -> None:
    async with apps("one") as (one,):
        async with background(run(config)):
            await site.deploy("shop", "shop-0-web", one)
        (config.data_dir / "backends.cfg").write_text("nonsense here\n")
        async with background(run(config)):
            await site.until_served("one")


async def test_another_port_after_a_restart_reloads_what_runs(config: RouterConfig, site: Site) -> None:
    async with apps("one") as (one,):
        driver = await as_process(config)
        await site.deploy("shop", "shop-0-web", one)
        driver.kill()
        await driver.wait()
        moved = replace(config, port=config.port + 1 if config.port < 65535 else config.port - 1)
        async with background(run(moved)):
            site.port = moved.port
            await site.until_served("one")


async def test_a_folder_with_a_long_path(config: RouterConfig, site: Site) -> None:
    """Paths of unix sockets have 107 characters at most."""
    deep = config.data_dir.joinpath(*(["very-long-name-of-a-folder"] * 8))
    moved = replace(config, data_dir=deep)
    async with apps("one") as (one,), background(run(moved)):
        await site.deploy("shop", "shop-0-web", one)
        assert await site.get() == (200, "one")
