"""A test ends when its connections have ended, and fails when it leaves one open."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import settings

from tests.settled import settled

# How long an example takes is the machine's business, not the code's.
settings.register_profile("setpoint", deadline=None)
settings.load_profile("setpoint")


@pytest.fixture
async def settled_loop() -> AsyncIterator[None]:
    yield
    await settled()


@pytest.fixture(autouse=True)
def leaves_nothing_open(request: pytest.FixtureRequest) -> None:
    """Before all else that the test uses, so that it ends after all else has been closed."""
    if request.node.get_closest_marker("asyncio"):
        request.getfixturevalue("settled_loop")
