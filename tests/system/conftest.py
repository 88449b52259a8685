"""One installation for tests that leave it as they found it, and one of its own for each module that breaks things."""

from collections.abc import Iterator

import httpx
import pytest

from tests.system.platform import Platform, platform


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with platform(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running


@pytest.fixture(autouse=True)
def leaves_no_project(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test ran in the shared installation makes room for the next test: a small machine runs twenty."""
    if "shared" not in request.fixturenames:
        yield
        return
    running: Platform = request.getfixturevalue("shared")
    before = running.projects()
    yield
    running.remove_projects(running.projects() - before)


@pytest.fixture(scope="session")
def api(shared: Platform) -> Iterator[httpx.Client]:
    with shared.api() as client:
        yield client


@pytest.fixture(scope="module")
def nodes() -> int:
    """Of the module's own installation; a module that wants more says so."""
    return 1


@pytest.fixture(scope="module")
def running(nodes: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """The module's own installation, in which its tests may break what they like."""
    with platform(tmp_path_factory.mktemp("own") / "data", nodes=nodes) as started:
        yield started


@pytest.fixture(scope="module")
def client(running: Platform) -> Iterator[httpx.Client]:
    with running.api() as made:
        yield made
