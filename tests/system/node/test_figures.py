"""Live figures, followed logs, quiet, and the end of an installation."""

import asyncio
from pathlib import Path

import aiohttp
import orjson

from cluster.node.ending import end_instances
from crds.kinds import KINDS
from crds.models.instance import Instance
from tests.system.node.world import NAMESPACE, NODE, World
from tests.unit.cluster.repositories import example, repository

BUSY = """
import os, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"ok"); print("asked", self.path, flush=True)
keep = bytearray(50 << 20)
for i in range(0, len(keep), 4096): keep[i] = 1
def burn():
    while True: pass
threading.Thread(target=burn, daemon=True).start()
HTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Page).serve_forever()
"""


async def test_cpu_and_memory_are_sampled(here: World, tmp_path: Path) -> None:
    await here.project("busy")
    repo = tmp_path / "repo"
    build = await here.built("busy-d1", "busy", str(repo), repository(repo, {"main.py": BUSY}))
    made = await here.instance(await here.workload(build))
    await here.ready(made.name)
    async with asyncio.timeout(40):
        while True:
            found = orjson.loads((await here.ask(f"/v1/usage?namespace={NAMESPACE}&project=busy"))[1])["instances"]
            if found and found[0]["cpu"] > 0.05:
                break
            await asyncio.sleep(0.2)
    assert found[0]["instance"] == made.name
    assert 50 << 20 < found[0]["memoryBytes"] < 110 << 20
    assert len(found[0]["series"]) >= 2
    assert orjson.loads((await here.ask("/v1/usage?project=other"))[1])["instances"] == []


async def test_a_log_is_followed_and_resumed_by_its_cursor(here: World, tmp_path: Path) -> None:
    await here.project("hello")
    repo = tmp_path / "repo"
    build = await here.built("hello-d1", "hello", str(repo), repository(repo, {"main.py": BUSY}))
    instance = await here.ready((await here.instance(await here.workload(build))).name)
    endpoint = (await here.node()).status.endpoint
    connector = aiohttp.TCPConnector(ssl=here.authority.client_context(here.api_pair))
    url = f"{endpoint}/v1/logs/{NAMESPACE}/hello?follow=1&process=web"
    async with aiohttp.ClientSession(connector=connector) as session:
        async with session.get(url) as answer, asyncio.timeout(20):
            await here.get(instance, "/first")
            async for raw in answer.content:
                line = orjson.loads(raw)
                if "/first" in line["line"] and line["stream"] == "stdout":
                    break
        await here.get(instance, "/second")
        async with session.get(f"{url}&after={line['cursor']}") as answer, asyncio.timeout(20):
            following = [orjson.loads(await answer.content.readline())["line"] for _ in range(2)]
    assert not any("/first" in text and text.startswith("asked") for text in following)
    assert any("/second" in text for text in following)


async def test_running_instances_write_no_records(here: World, tmp_path: Path) -> None:
    await here.project("hello")
    repo = tmp_path / "repo"
    build = await here.built("hello-d1", "hello", str(repo), example("hello", repo))
    workload = await here.workload(build)
    for number in range(5):
        await here.instance(workload, number)
    for number in range(5):
        await here.ready(f"{workload.name}-{number}")
    await asyncio.sleep(1)

    async def versions() -> dict[str, str | None]:
        found = {}
        for kind in KINDS:
            for record in (await here.client.list(kind.model))[0]:
                found[record.uid] = record.metadata.resource_version
        return found

    before = await versions()
    await asyncio.sleep(6)
    assert await versions() == before


async def test_the_end_of_the_installation_ends_its_instances_and_the_next_start_brings_them_back(
    here: World, tmp_path: Path
) -> None:
    await here.project("hello")
    repo = tmp_path / "repo"
    build = await here.built("hello-d1", "hello", str(repo), example("hello", repo))
    made = await here.ready((await here.instance(await here.workload(build))).name)
    here.stop_agent()
    assert (await here.get(made))[0] == 200
    assert await end_instances(here.data, NODE, 5) == 1
    assert await end_instances(here.data, NODE, 5) == 0
    here.start_agent()

    def moved(one: Instance) -> bool:
        return one.status.ready and one.status.started_at != made.status.started_at

    again = await here.until(Instance, made.name, moved)
    assert (await here.get(again))[0] == 200
