"""Nodes that are lost and come back, on a real API server."""

import asyncio

from cluster.scheduler.config import SchedulerConfig
from cluster.scheduler.scheduler import run
from crds.client.client import Client
from crds.models.instance import Instance
from crds.models.workload import Workload
from tests.contract.apiserver.server import Server
from tests.system.scheduler.world import NAMESPACE, Agent, Looking, background, workload
from tests.unit.cluster.eventually import eventually


async def test_instances_of_a_lost_node_are_elsewhere(
    config: SchedulerConfig, client: Client, looking: Looking
) -> None:
    phases: list[str | None] = []
    looking.instances.subscribe(lambda _old, new: phases.append(new.status.phase) if new else None)
    async with background(run(config)), background(Agent(client, "b").run()):
        async with background(Agent(client, "a").run()):
            await looking.know(2)
            await client.create(workload(replicas=2, served=True))
            await eventually(looking.ready(2))
            assert looking.nodes_of() == ["a", "b"]
            lost = next(i.uid for i in looking.of() if i.spec.node == "a")
        await eventually(lambda: looking.nodes_of() == ["b", "b"])
        await eventually(looking.ready(2))
        await eventually(lambda: looking.instances.by_uid(lost) is None, what="the lost one is gone for good")
        assert "lost" in phases


async def test_on_a_single_node_they_wait_for_it(config: SchedulerConfig, client: Client, looking: Looking) -> None:
    async with background(run(config)):
        async with background(Agent(client, "a").run()):
            await client.create(workload())
            await eventually(looking.ready(1))
            uid = looking.of()[0].uid
        await eventually(lambda: looking.status().trouble and looking.status().trouble.reason == "NodeLost")
        assert [i.uid for i in looking.of()] == [uid]
        async with background(Agent(client, "a").run()):
            await eventually(lambda: looking.status().trouble is None)
            assert [i.uid for i in looking.of()] == [uid]


async def test_what_shall_go_from_a_lost_node_goes(config: SchedulerConfig, client: Client, looking: Looking) -> None:
    async with background(run(config)):
        async with background(Agent(client, "a").run()):
            await client.create(workload(served=True))
            await eventually(looking.ready(1))
        await client.delete(Workload, "shop-1-web", NAMESPACE)
        await eventually(lambda: len(looking.instances) == 0)


async def test_no_node_is_lost_because_the_api_server_was_away(
    config: SchedulerConfig, client: Client, looking: Looking, server: Server
) -> None:
    """It is away for longer than a node may be silent; agents come back after it at their own pace."""
    async with background(run(config)):
        async with background(Agent(client, "b").run()), background(Agent(client, "a").run()):
            await looking.know(2)
            await client.create(workload(replicas=2))
            await eventually(looking.ready(2))
            before = {i.uid for i in looking.of()}
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(2.5)
        await asyncio.to_thread(server.start)
        async with background(Agent(client, "b").run()), background(Agent(client, "a").run()):
            await client.create(workload("after"))
            await eventually(looking.ready(1, "after"), seconds=20)
            assert {i.uid for i in looking.of()} == before


async def test_an_agent_that_stops_reporting_for_a_moment_loses_nothing(
    config: SchedulerConfig, client: Client, looking: Looking
) -> None:
    async with background(run(config)), background(Agent(client, "b").run()):
        async with background(Agent(client, "a").run()):
            await looking.know(2)
            await client.create(workload(replicas=2))
            await eventually(looking.ready(2))
            before = {i.uid for i in looking.of()}
        await asyncio.sleep(0.5)
        async with background(Agent(client, "a").run()):
            await asyncio.sleep(1.5)
            records, _ = await client.list(Instance)
            assert {i.uid for i in records} == before
