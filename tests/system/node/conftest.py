"""A world for each test: its own API server, data folder and agent."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.contract.apiserver.server import running
from tests.system.node.world import World, world


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    with running(tmp_path / "api") as server:
        async with world(server, tmp_path) as made:
            yield made
