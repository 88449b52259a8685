"""Builds and looks into repositories, on a real API server."""

from typing import Any

from cluster.scheduler.config import SchedulerConfig
from cluster.scheduler.scheduler import run
from crds.client.client import Client
from crds.client.reflector import Reflector
from crds.client.store import Store
from crds.models.build import Build, BuildSpec
from crds.models.gitref import GitRef, GitRefSpec
from crds.models.record import Metadata
from tests.system.scheduler.world import NAMESPACE, Agent, background
from tests.unit.cluster.eventually import eventually


def build(name: str) -> Build:
    spec = BuildSpec(project="shop", deploy=name, repository="/srv/shop.git", commit="a" * 40)
    return Build(metadata=Metadata(name=name, namespace=NAMESPACE), spec=spec)


def gitref(name: str) -> GitRef:
    spec = GitRefSpec(project="shop", repository="/srv/shop.git", interval_seconds=300)
    return GitRef(metadata=Metadata(name=name, namespace=NAMESPACE), spec=spec)


def status(store: Store[Any], name: str) -> Any:
    record = store.get(NAMESPACE, name)
    return record.status if record else None


async def test_one_build_of_an_account_at_a_time(config: SchedulerConfig, client: Client) -> None:
    builds = Store(Build)
    async with background(run(config)), background(Reflector(client, builds).run()):
        for name in ("one", "two"):
            await client.create(build(name))
        async with background(Agent(client, "a").run()):
            await eventually(lambda: status(builds, "one") and status(builds, "one").node == "a")
            assert status(builds, "two").node is None
            await client.patch_status(await client.get(Build, "one", NAMESPACE), {"phase": "succeeded"})
            await eventually(lambda: status(builds, "two").node == "a")


async def test_a_lost_nodes_build_and_gitref_go_to_another(config: SchedulerConfig, client: Client) -> None:
    builds, gitrefs = Store(Build), Store(GitRef)
    watching = (background(Reflector(client, builds).run()), background(Reflector(client, gitrefs).run()))
    async with background(run(config)), watching[0], watching[1]:
        async with background(Agent(client, "a").run()):
            await client.create(build("one"))
            await client.create(gitref("head"))
            await eventually(lambda: status(builds, "one") and status(builds, "one").node == "a")
            await eventually(lambda: status(gitrefs, "head") and status(gitrefs, "head").node == "a")
            await client.patch_status(await client.get(Build, "one", NAMESPACE), {"phase": "building"})
        async with background(Agent(client, "b").run()):
            await eventually(lambda: (status(builds, "one").node, status(builds, "one").phase) == ("b", "pending"))
            await eventually(lambda: status(gitrefs, "head").node == "b")


async def test_looks_are_shared_out(config: SchedulerConfig, client: Client) -> None:
    gitrefs = Store(GitRef)
    agents = (background(Agent(client, "a").run()), background(Agent(client, "b").run()))
    async with background(run(config)), background(Reflector(client, gitrefs).run()), agents[0], agents[1]:
        names = [f"head-{number}" for number in range(6)]
        for name in names:
            await client.create(gitref(name))
            await eventually(lambda name=name: (found := status(gitrefs, name)) and found.node)  # type: ignore[misc]
        nodes = [status(gitrefs, name).node for name in names]
        assert 1 <= nodes.count("a") <= 5
