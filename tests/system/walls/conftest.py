"""Everything that is tried from wherever a tenant's code runs, and a neighbour."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.platform import Platform
from tests.system.projects import live_project
from tests.system.repositories import version
from tests.system.walls.customers import customers
from tests.system.walls.giving import Giver, giving
from tests.system.walls.targets import baits, targets


@pytest.fixture(scope="module")
def neighbour(
    shared: Platform, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of an instance of another project."""
    name = f"beside-{Path(request.path).stem.replace('_', '-')}"
    repository = tmp_path_factory.mktemp("neighbour")
    with shared.api() as client:
        live_project(shared, client, name, repository, version("neighbour"))
    record = next(each for each in shared.records("instances") if each["metadata"]["name"].startswith(name))
    yield str(record["status"]["address"])
    shared.remove_projects({(record["metadata"]["namespace"], name)})


@pytest.fixture
def everything(shared: Platform, neighbour: str) -> Iterator[dict[str, Any]]:
    """Whoever uses it reaches nothing; what cannot be seen from inside is looked at when he is done."""
    assert neighbour.startswith("198.18."), "this machine refuses the fabric"
    with baits() as bait, customers([("127.0.0.1", port) for port in (shared.router_port, shared.api_port)]):
        yield targets(shared, bait, [neighbour])
        assert bait.process.touched() == []


@pytest.fixture
def giver() -> Iterator[Giver]:
    with giving() as server:
        yield server
