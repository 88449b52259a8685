"""Ours only: tokens, certificates, rules, and bad requests on the wire."""

import re
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.contract.apiserver.client import Api, causes, eventually
from tests.contract.apiserver.conftest import client_of, install_widgets
from tests.contract.apiserver.server import Server, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("access")) as started:
        install_widgets(client_of(started))
        yield started


def as_token(server: Server, token: str) -> Api:
    return Api(server.url, token, server.ca)


def test_wrong_and_missing_tokens(server: Server) -> None:
    wrong = as_token(server, "wrong").request("GET", "/api/v1/namespaces")
    assert wrong.status_code == 401
    assert wrong.json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }
    nobody = httpx.get(f"{server.url}/api/v1/namespaces", verify=server.context())
    assert (nobody.status_code, nobody.json()["reason"]) == (403, "Forbidden")
    assert 'User "system:anonymous" cannot list' in nobody.json()["message"]
    assert httpx.get(f"{server.url}/apis", verify=server.context()).status_code == 403


def test_rules(server: Server) -> None:
    rule = {
        "apiGroups": ["test.example.com"],
        "resources": ["widgets", "widgets/status"],
        "verbs": ["get", "list"],
    }
    server.tokens["reader-token"] = ("reader", [])
    server.write_access()
    server.bind({"kind": "User", "name": "reader"}, [rule], "default")
    reader = as_token(server, "reader-token")
    assert reader.request("GET", reader.widgets).status_code == 200
    assert reader.request("GET", "/apis/test.example.com/v1/widgets").status_code == 403
    refused = reader.request("DELETE", f"{reader.widgets}/a")
    assert refused.json()["details"] == {"name": "a", "group": "test.example.com", "kind": "widgets"}
    assert refused.json()["message"] == (
        'widgets.test.example.com "a" is forbidden: User "reader" cannot delete resource "widgets" in API group '
        '"test.example.com" in the namespace "default"'
    )
    assert reader.request("GET", reader.core("secrets")).status_code == 403
    review = {"spec": {"resourceAttributes": {"verb": "list", "group": "test.example.com", "resource": "widgets"}}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    assert reader.ok("POST", path, review)["status"]["allowed"] is False
    review["spec"]["resourceAttributes"]["namespace"] = "default"
    assert reader.ok("POST", path, review)["status"]["allowed"] is True


def test_groups_and_names(server: Server) -> None:
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"], "resourceNames": ["mine"]}
    server.tokens["member-token"] = ("member", ["team"])
    server.write_access()
    server.bind({"kind": "Group", "name": "team"}, [rule])
    member = as_token(server, "member-token")
    assert member.request("GET", f"{member.core('configmaps')}/mine").status_code == 404
    assert member.request("GET", f"{member.core('configmaps')}/other").status_code == 403


def test_a_token_that_is_taken_away_ends(server: Server) -> None:
    server.grant("brief-token", "brief", ["system:masters"], [])
    brief = as_token(server, "brief-token")
    assert brief.request("GET", "/api/v1/namespaces").status_code == 200
    del server.tokens["brief-token"]
    server.write_access()
    eventually(lambda: brief.request("GET", "/api/v1/namespaces").status_code == 401)


def test_client_certificate(server: Server) -> None:
    rule = {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list"]}
    server.bind({"kind": "Group", "name": "cert-group"}, [rule])
    context = server.context()
    certs = server.ca.parent
    context.load_cert_chain(certs / "client.crt", certs / "client.key")
    with httpx.Client(verify=context, base_url=server.url) as client:
        eventually(lambda: client.get("/api/v1/namespaces").status_code == 200)
        assert client.get("/api/v1/secrets").status_code == 403


def test_kubectl_auth(server: Server, kubectl: str) -> None:
    command = [kubectl, "--kubeconfig", str(server.kubeconfig), "auth", "can-i", "delete", "widgets"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() == "yes"


def raw(server: Server, data: bytes) -> bytes:
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    with server.context().wrap_socket(plain, server_hostname="127.0.0.1") as connection:
        connection.sendall(data)
        received = b""
        while part := connection.recv(65536):
            received += part
        return received


def test_malformed_requests_are_refused(server: Server) -> None:
    assert raw(server, b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert raw(server, b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n").startswith(b"HTTP/1.1 431")
    head = b"POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"
    assert raw(server, head).startswith(b"HTTP/1.1 413")
    both = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    assert raw(server, both).startswith(b"HTTP/1.1 400")
    assert raw(server, b"GET /healthz HTTP/1.0\r\n\r\n").endswith(b"ok")


def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    one = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    post = (
        b"POST /api/v1/namespaces/default/configmaps?dryRun=All HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
        b"Authorization: Bearer " + server.token.encode() + b"\r\n\r\n{}"
    )
    last = b"GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answers = raw(server, one + post + one + last)
    # The second is bad (no name), and the connection lives on.
    assert re.findall(rb"HTTP/1\.1 (\d+)", answers) == [b"200", b"422", b"200", b"200"]


def test_a_body_in_pieces(server: Server) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"apiVersion":"v1","kind":"ConfigMap",'
        yield b'"metadata":{"name":"pieces"}}'

    answer = httpx.post(
        f"{server.url}/api/v1/namespaces/default/configmaps",
        content=pieces(),
        headers={"Authorization": f"Bearer {server.token}"},
        verify=server.context(),
    )
    assert answer.status_code == 201


def test_deep_nesting_is_refused(server: Server) -> None:
    api = client_of(server)
    deep = b'{"a":' * 5000 + b"1" + b"}" * 5000
    body = (
        b'{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"name":"d"},"spec":{"note":"n","free":'
        + deep
        + b"}}"
    )
    assert api.request("POST", api.widgets, body).status_code == 400
    assert api.request("GET", api.widgets).status_code == 200


def test_old_tls_is_refused(server: Server) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(server.ca)
    assert context.minimum_version
    with (
        socket.create_connection(("127.0.0.1", server.port)) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as connection,
    ):
        assert connection.version() in ("TLSv1.2", "TLSv1.3")


def test_no_token_is_ever_logged(server: Server) -> None:
    assert server.token not in server.log.read_text()
    assert Path(server.log).exists()


def test_impersonation_is_refused_and_not_passed_over(server: Server) -> None:
    admin = client_of(server)
    answer = admin.http.get("/api/v1/namespaces", headers={"Impersonate-User": "somebody"})
    assert (answer.status_code, answer.json()["reason"]) == (403, "Forbidden")


def test_a_role_that_aggregates_is_refused(server: Server) -> None:
    role = {"metadata": {"name": "sum"}, "aggregationRule": {"clusterRoleSelectors": []}, "rules": []}
    answer = client_of(server).request("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", role)
    assert (answer.status_code, causes(answer)) == (422, [("FieldValueForbidden", "aggregationRule")])


def test_a_right_that_is_taken_away_ends_at_once(server: Server) -> None:
    admin = client_of(server)
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}
    server.grant("former-token", "former", [], [rule])
    former = as_token(server, "former-token")
    assert former.request("GET", former.core("configmaps")).status_code == 200
    bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    own = [item["metadata"]["name"] for item in admin.get(bindings)["items"] if "former-" in item["metadata"]["name"]]
    for name in own:
        admin.ok("DELETE", f"{bindings}/{name}")
    assert former.request("GET", former.core("configmaps")).status_code == 403


def test_rights_and_tokens_outlive_the_server(own_server: Server) -> None:
    admin = client_of(own_server)
    accounts = admin.core("serviceaccounts")
    admin.ok("POST", accounts, {"metadata": {"name": "one"}})
    token = admin.ok("POST", f"{accounts}/one/token", {"spec": {}})["status"]["token"]
    subject = {"kind": "ServiceAccount", "name": "one", "namespace": "default"}
    own_server.bind(subject, [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}])
    own_server.kill()
    own_server.start()
    one = as_token(own_server, token)
    assert one.request("GET", one.core("configmaps")).status_code == 200
    assert one.request("GET", one.core("secrets")).status_code == 403


def test_rules_review(server: Server) -> None:
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}
    server.grant("asker-token", "asker", [], [rule])
    review = {"spec": {"namespace": "default"}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
    told = as_token(server, "asker-token").ok("POST", path, review)["status"]
    assert rule in told["resourceRules"]
    assert any("/version" in rule["nonResourceURLs"] for rule in told["nonResourceRules"])
