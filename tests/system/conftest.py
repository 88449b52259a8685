"""One installation for the tests that leave it as they found it; tests that break things start their own."""

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
