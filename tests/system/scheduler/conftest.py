"""One API server a test, and clients of it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from cluster.scheduler.config import SchedulerConfig
from crds.client.client import Client
from tests.contract.apiserver.server import Server
from tests.system.scheduler.world import Looking, api_server, background, kubeconfig_of, prepare


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with api_server(tmp_path / "api") as running:
        yield running


@pytest.fixture
async def client(server: Server) -> AsyncIterator[Client]:
    opened = await Client.open(server.kubeconfig, "test")
    try:
        await prepare(opened)
        yield opened
    finally:
        await opened.close()


@pytest.fixture
async def looking(client: Client) -> AsyncIterator[Looking]:
    view = Looking(client)
    async with background(view.run()):
        yield view


@pytest.fixture
def config(server: Server, client: Client) -> SchedulerConfig:
    """A scheduler with its own rights and short times."""
    return SchedulerConfig(kubeconfig_of(server, "scheduler"), "scheduler-a", renew_every=0.2, lost_after=1.0)
