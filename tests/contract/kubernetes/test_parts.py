"""What each part may do at the embedded API: what its roles say, and not a thing more."""

import asyncio
from collections.abc import Iterator

import pytest

from crds.client.client import Client
from crds.models.core import Namespace
from crds.models.rbac import RoleBinding
from crds.names import SYSTEM_NAMESPACE
from crds.rbac import account_bindings, applied
from setpoint.identities import ensure_roles
from tests.contract.apiserver.conftest import client_of
from tests.contract.apiserver.server import Server, running
from tests.contract.kubernetes.matrix import allowed, expected

ACCOUNT = "acc-one"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("parts")) as started:
        asyncio.run(prepare(started))
        yield started


async def prepare(server: Server) -> None:
    client = await Client.open(server.kubeconfig, "setpoint-tests")
    try:
        for name in (SYSTEM_NAMESPACE, ACCOUNT):
            await client.apply(Namespace, {"metadata": {"name": name}}, force=True)
        await ensure_roles(client)
        for binding in account_bindings(ACCOUNT):
            await client.apply(RoleBinding, applied(binding))
    finally:
        await client.close()


def test_a_part_may_do_what_its_roles_say_and_nothing_else(server: Server) -> None:
    assert allowed(client_of(server), ACCOUNT) == expected(ACCOUNT)


def test_a_part_cannot_give_itself_more(server: Server) -> None:
    admin = client_of(server)
    accounts = f"/api/v1/namespaces/{SYSTEM_NAMESPACE}/serviceaccounts/setpoint-controller/token"
    token = admin.ok("POST", accounts, {"spec": {}})["status"]["token"]
    admin.http.headers["Authorization"] = f"Bearer {token}"
    bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/acc-one/rolebindings"
    me = {"kind": "ServiceAccount", "name": "setpoint-controller", "namespace": SYSTEM_NAMESPACE}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
    binding = {"metadata": {"name": "more"}, "roleRef": reference, "subjects": [me]}
    assert admin.request("POST", bindings, binding).status_code == 403
    everything = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
    role = {"metadata": {"name": "setpoint-controller"}, "rules": everything}
    assert admin.request("POST", bindings.replace("rolebindings", "roles"), role).status_code == 403
