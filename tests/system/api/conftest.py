"""One house for all tests of this folder; each makes projects of its own."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.system.api.house import House, open_house
from tests.system.api.visitor import Visitor


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("house")) as opened:
        yield opened


@pytest.fixture
async def visitor(house: House) -> AsyncIterator[Visitor]:
    async with httpx.AsyncClient(base_url=house.url, timeout=20) as client:
        yield Visitor(house, client)
