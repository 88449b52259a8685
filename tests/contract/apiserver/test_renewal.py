"""Tokens that end while a part runs: it reads its kubeconfig again and goes on."""

import json
from pathlib import Path

import pytest

from crds.client.client import Client
from crds.client.errors import ApiError
from crds.models.core import Namespace
from tests.contract.apiserver.conftest import client_of
from tests.contract.apiserver.server import Server, kubeconfig


async def test_a_client_goes_on_with_a_renewed_token(own_server: Server, tmp_path: Path) -> None:
    path = tmp_path / "config"
    rules = [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]}]

    def give(token: str) -> None:
        own_server.grant(token, "part", [], rules)
        path.write_text(json.dumps(kubeconfig(own_server.url, own_server.ca, token)))

    give("first")
    client = await Client.open(path, "part")
    try:
        await client.get(Namespace, "default")
        del own_server.tokens["first"]
        give("second")
        await _forgotten(own_server, "first")
        await client.get(Namespace, "default")
        del own_server.tokens["second"]
        own_server.write_access()
        await _forgotten(own_server, "second")
        with pytest.raises(ApiError, match="Unauthorized"):
            await client.get(Namespace, "default")
    finally:
        await client.close()


async def _forgotten(server: Server, token: str) -> None:
    """The server looks at its file now and then, and when it meets a token that it does not know."""
    probe = client_of(server)
    probe.http.headers["Authorization"] = "Bearer nobody's"
    assert probe.request("GET", "/api/v1/namespaces/default").status_code == 401
    probe.http.headers["Authorization"] = f"Bearer {token}"
    assert probe.request("GET", "/api/v1/namespaces/default").status_code == 401
    probe.http.close()
