"""A way out of its own for each test, in both ways of the fabric."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cluster.egress.config import EgressConfig
from cluster.fabric.client import Keeper
from cluster.haproxy.process import end_all
from tests.unit.cluster.fabric.conftest import WAYS, keeping


@pytest.fixture(params=WAYS)
async def config(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[EgressConfig]:
    with keeping(tmp_path / "fabric", str(request.param)):
        await Keeper(tmp_path / "fabric").describe()
        (tmp_path / "resolv.conf").write_text("")
        yield EgressConfig(
            tmp_path / "egress",
            tmp_path / "fabric",
            tmp_path / "siblings.sock",
            allow_builds=("127.0.0.0/8",),
            resolv_conf=tmp_path / "resolv.conf",
        )
        await end_all(tmp_path / "egress")
