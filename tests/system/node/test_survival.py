"""kill -9 at any point: instances go on, none runs twice, builds are tried again, what is unwanted ends."""

import asyncio
import os
import signal
from pathlib import Path

import aiohttp

from cluster.node.folder import Folders, InstanceFolder
from cluster.sandbox.processes import lock_holders
from crds.client.errors import ApiError
from crds.models.build import Build
from crds.models.core import Lease
from crds.models.instance import Instance
from crds.names import FINALIZER_NODE, SYSTEM_NAMESPACE
from tests.system.node.world import NAMESPACE, NODE, World
from tests.unit.cluster.eventually import eventually
from tests.unit.cluster.repositories import example, repository

COUNTING = """
import os, time
from http.server import BaseHTTPRequestHandler, HTTPServer
class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(START.encode())
    def log_message(self, *args): print("asked", flush=True)
START = str(time.time_ns())
print("began", START, flush=True)
HTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Page).serve_forever()
"""


async def _running(here: World, tmp_path: Path, name: str = "count") -> Instance:
    await here.project(name)
    repo = tmp_path / f"repo-{name}"
    build = await here.built(f"{name}-d1", name, str(repo), repository(repo, {"main.py": COUNTING}))
    made = await here.instance(await here.workload(build))
    return await here.ready(made.name)


def _folders(here: World) -> list[InstanceFolder]:
    return [folder for folder, _ in Folders(here.data / "nodes" / NODE).all()]


async def test_an_instance_goes_on_through_the_death_of_the_agent(here: World, tmp_path: Path) -> None:
    instance = await _running(here, tmp_path)
    began = (await here.get(instance))[1]
    here.stop_agent(signal.SIGKILL)
    assert (await here.get(instance))[1] == began
    here.start_agent()

    # Its line of the time without an agent is taken over, once.
    async def asked() -> list[str]:
        try:
            lines = await here.lines(f"/v1/logs/{NAMESPACE}/count")
        except (aiohttp.ClientError, OSError):
            return []
        return [line["line"] for line in lines]

    async with asyncio.timeout(15):
        while len(said := await asked()) < 3:
            await asyncio.sleep(0.05)
    # The health check asked once, and we twice.
    assert [line for line in said if line.startswith("began")] == [f"began {began}"]
    assert said.count("asked") >= 3
    assert (await here.get(instance))[1] == began
    again = await here.client.get(Instance, instance.name, NAMESPACE)
    assert (again.status.ready, again.status.restarts) == (True, 0)
    assert again.metadata.resource_version == instance.metadata.resource_version, "nothing was written about it"


async def test_an_exit_without_an_agent_is_seen_by_the_next(here: World, tmp_path: Path) -> None:
    instance = await _running(here, tmp_path)
    here.stop_agent(signal.SIGKILL)
    folder = _folders(here)[0]
    reaper = folder.reaper()
    assert reaper
    os.kill(reaper, signal.SIGKILL)
    await eventually(lambda: not folder.alive())
    here.start_agent()
    seen = await here.until(Instance, instance.name, lambda one: one.status.restarts == 1 and one.status.ready)
    assert (await here.get(seen))[0] == 200


async def test_what_was_deleted_meanwhile_ends_before_the_first_heartbeat(here: World, tmp_path: Path) -> None:
    instance = await _running(here, tmp_path)
    here.stop_agent(signal.SIGKILL)
    await here.client.delete(Instance, instance.name, NAMESPACE)
    newest = await here.client.get(Instance, instance.name, NAMESPACE)
    await here.client.remove_finalizer(newest, FINALIZER_NODE)
    before = (await here.client.get(Lease, f"node-{NODE}", SYSTEM_NAMESPACE)).spec.renew_time
    here.start_agent()
    async with asyncio.timeout(20):
        while (await here.client.get(Lease, f"node-{NODE}", SYSTEM_NAMESPACE)).spec.renew_time == before:
            await asyncio.sleep(0.01)
    assert _folders(here) == []


async def test_killed_again_and_again_while_it_starts_nothing_runs_twice(here: World, tmp_path: Path) -> None:
    await here.project("many")
    repo = tmp_path / "repo"
    build = await here.built("many-d1", "many", str(repo), repository(repo, {"main.py": COUNTING}))
    workload = await here.workload(build)
    for number in range(6):
        await here.instance(workload, number)
        await asyncio.sleep(0.02 * number)
        here.stop_agent(signal.SIGKILL)
        here.start_agent()
    for number in range(6):
        await here.ready(f"{workload.name}-{number}")
    reapers = [pid for folder in _folders(here) for pid in lock_holders(folder.lock)]
    assert len(reapers) == 6
    assert len({folder.read().address for folder in _folders(here) if folder.read()}) == 6  # type: ignore[union-attr]
    outside = [pid for pid in _sandboxes_of(here) if pid not in reapers]
    assert outside == []


def _sandboxes_of(here: World) -> list[int]:
    """Every pid 1 of a sandbox that writes into this test's folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                inside = (entry / "status").read_text().split("NSpid:")[1].split("\n")[0].split()
                target = str((entry / "fd/1").readlink())
            except (OSError, IndexError):
                continue
            if inside[-1] == "1" and len(inside) > 1 and target.startswith(str(here.data)):
                found.append(int(entry.name))
    return found


async def test_a_crash_while_the_state_store_is_away_is_mended(here: World, tmp_path: Path) -> None:
    instance = await _running(here, tmp_path)
    began = (await here.get(instance))[1]
    here.server.stop()
    reaper = _folders(here)[0].reaper()
    assert reaper
    os.kill(reaper, signal.SIGKILL)

    async def other() -> bool:
        state = _folders(here)[0].read()
        try:
            async with aiohttp.ClientSession() as session, session.get(f"http://{state and state.address}/") as answer:
                return await answer.text() != began
        except aiohttp.ClientError:
            return False

    async with asyncio.timeout(15):
        while not await other():
            await asyncio.sleep(0.02)
    here.server.start()
    await here.until(Instance, instance.name, lambda one: one.status.restarts == 1 and one.status.ready)


SLOW = '{"scripts": {"build": "sleep 1.5; echo built", "start": "node x.js"}}'


def _builds_lock(here: World) -> Path:
    """Of the one project that builds there."""
    (found,) = (here.data / "nodes" / NODE / "caches").glob("*/lock")
    return found


async def test_a_build_whose_agent_was_killed_is_tried_again(here: World, tmp_path: Path) -> None:
    await here.project("slow")
    repo = tmp_path / "repo"
    await here.build("slow-d1", "slow", str(repo), repository(repo, {"package.json": SLOW}))
    await here.until(Build, "slow-d1", lambda build: build.status.phase == "building")
    log = here.data / "nodes" / NODE / "builds" / NAMESPACE / "slow-d1" / "log.ndjson"
    await eventually(lambda: log.exists() and "npm run build" in log.read_text())
    here.stop_agent(signal.SIGKILL)
    here.start_agent()
    done = await here.until(Build, "slow-d1", lambda build: build.status.phase == "succeeded", 30)
    assert done.status.attempt == 2
    lines = await here.lines(f"/v1/builds/{NAMESPACE}/slow-d1/log?follow=1")
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))


async def test_a_build_process_that_is_killed_is_tried_again(here: World, tmp_path: Path) -> None:
    await here.project("slow")
    repo = tmp_path / "repo"
    await here.build("slow-d1", "slow", str(repo), repository(repo, {"package.json": SLOW}))
    log = here.data / "nodes" / NODE / "builds" / NAMESPACE / "slow-d1" / "log.ndjson"
    await eventually(lambda: log.exists() and "npm run build" in log.read_text())
    lock = _builds_lock(here)
    # The agent has it too, until the sandbox runs.
    holder = await eventually(
        lambda: [pid for pid in lock_holders(lock) if Path(f"/proc/{pid}/comm").read_text() == "bwrap\n"]
    )
    os.kill(holder[0], signal.SIGKILL)
    done = await here.until(Build, "slow-d1", lambda build: build.status.phase == "succeeded", 30)
    assert done.status.attempt == 2


async def test_a_build_over_its_time_limit_fails_and_leaves_nothing(here: World, tmp_path: Path) -> None:
    await here.project("slow")
    repo = tmp_path / "repo"
    files = {"package.json": '{"scripts": {"build": "sleep 1000 & sleep 1000", "start": "x"}}'}
    build = await here.built("slow-d1", "slow", str(repo), repository(repo, files), timeout_seconds=3)
    assert (build.status.phase, build.status.reason) == ("failed", "BuildTimeout")
    folder = here.data / "nodes" / NODE / "builds" / NAMESPACE / "slow-d1"
    assert not lock_holders(_builds_lock(here))
    assert not (folder / "work").exists()


async def test_a_second_agent_of_the_same_name_does_not_start(here: World, tmp_path: Path) -> None:
    await here.node()
    first = here.agent
    here.start_agent()
    second, here.agent = here.agent, first
    assert second is not None
    assert await asyncio.to_thread(second.wait, 20) != 0
    assert "is running already" in here.said()


async def test_it_waits_for_a_state_store_that_comes_later(here: World, tmp_path: Path) -> None:
    here.stop_agent()
    here.server.stop()
    here.start_agent()
    await asyncio.sleep(0.5)
    here.server.start()
    async with asyncio.timeout(20):
        while True:
            try:
                await here.client.get(Lease, f"node-{NODE}", SYSTEM_NAMESPACE)
                break
            except ApiError:
                await asyncio.sleep(0.05)
    await here.node()


async def test_examples_worker_runs_two_processes(here: World, tmp_path: Path) -> None:
    await here.project("worker")
    repo = tmp_path / "repo"
    build = await here.built("worker-d1", "worker", str(repo), example("worker", repo))
    for process in ("web", "worker"):
        made = await here.instance(await here.workload(build, process))
        await here.ready(made.name)
    lines = await here.lines(f"/v1/logs/{NAMESPACE}/worker?process=worker")
    assert {line["process"] for line in lines} == {"worker"}
