"""A real control plane for all tests here, with the kinds and roles of Setpoint in it."""

import asyncio
from collections.abc import Iterator

import pytest

from cluster.controlplane.build import CACHE, programs, told
from crds.client.client import Client
from crds.definition import definition
from crds.kinds import KINDS
from crds.models.core import CustomResourceDefinition, Namespace
from crds.names import SYSTEM_NAMESPACE
from setpoint.identities import ensure_roles
from tests.cluster.controlplane.server import ControlPlane, running
from tests.contract.apiserver.client import Api, unique


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with running(tmp_path_factory.mktemp("plane"), programs(CACHE, told)) as started:
        asyncio.run(_prepare(started))
        yield started


async def _prepare(plane: ControlPlane) -> None:
    client = await Client.open(plane.kubeconfig, "setpoint-tests")
    try:
        await client.apply(Namespace, {"metadata": {"name": SYSTEM_NAMESPACE}}, force=True)
        for kind in KINDS:
            await client.apply(CustomResourceDefinition, definition(kind.model), force=True)
        await ensure_roles(client)
    finally:
        await client.close()


@pytest.fixture
def api(plane: ControlPlane) -> Iterator[Api]:
    """An administrator's, with a namespace of its own."""
    admin = Api(plane.url, plane.token, plane.ca)
    name = unique("test")
    admin.ok("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    own = Api(plane.url, plane.token, plane.ca, name)
    yield own
    own.http.close()
    admin.http.close()
