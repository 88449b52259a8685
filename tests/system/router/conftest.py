"""One API server and one router a test."""

import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest

from cluster.router.config import RouterConfig
from cluster.router.driver import run
from crds.client.client import Client
from tests.contract.apiserver.server import Server
from tests.system.router.world import Site, haproxy_pids, router_config
from tests.system.scheduler.world import api_server, background, prepare
from tests.unit.cluster.certificates import Authority


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
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "pki")


@pytest.fixture
def config(server: Server, client: Client, tmp_path: Path, authority: Authority) -> Iterator[RouterConfig]:
    made = router_config(server, tmp_path, authority)
    made.data_dir.mkdir()
    yield made
    for pid in haproxy_pids(made):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
async def site(client: Client, config: RouterConfig) -> AsyncIterator[Site]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as http:
        made = Site(client, config.port, http)
        async with background(made.watch()):
            yield made


@pytest.fixture
async def routed(config: RouterConfig, site: Site) -> AsyncIterator[Site]:
    """The router runs."""
    async with background(run(config)):
        yield site
