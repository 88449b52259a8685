"""Domains: a hostname beside the project's own, claimed once on the whole installation."""

from typing import Any

import httpx
import pytest

from tests.system.platform import Platform, eventually
from tests.system.repositories import commit, version


def domain(name: str, project: str, hostname: str, namespace: str = "acc-main") -> str:
    return f"""
apiVersion: setpoint.dev/v1
kind: Domain
metadata: {{name: {name}, namespace: {namespace}}}
spec: {{project: {project}, hostname: "{hostname}"}}
"""


def status(shared: Platform, name: str) -> dict[str, Any]:
    found = [d for d in shared.records("domains") if d["metadata"]["name"] == name]
    return dict(found[0].get("status") or {}) if found else {}


@pytest.fixture(scope="module")
def projects(shared: Platform, api: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("named", "rival"):
        repository = tmp_path_factory.mktemp(name)
        commit(repository, version(name))
        shared.deploy(api, shared.new_project(api, name, repository))
    return


def ask(shared: Platform, hostname: str) -> httpx.Response:
    url = f"http://127.0.0.1:{shared.router_port}/"
    return httpx.get(url, headers={"Host": hostname}, timeout=20, trust_env=False)


@pytest.mark.usefixtures("projects")
def test_served_under_its_hostname_until_it_is_removed(shared: Platform) -> None:
    host = "www.shop.example"
    assert ask(shared, host).status_code == 404
    shared.kubectl("apply", "-f", "-", given=domain("www", "named", host))
    eventually(lambda: ask(shared, host).text.strip() == "named")
    assert status(shared, "www")["phase"] == "active"
    assert status(shared, "www")["dns"] == {"type": "CNAME", "name": host, "value": "named--main.localhost"}

    shared.kubectl("apply", "-f", "-", given=domain("stolen", "rival", host))
    seen = eventually(lambda: s if (s := status(shared, "stolen")).get("phase") == "failed" else None)
    assert "taken" in (seen or {})["error"]
    assert ask(shared, host).text.strip() == "named"

    shared.kubectl("delete", "domain", "www")
    eventually(lambda: ask(shared, host).text.strip() == "rival", 30)
    shared.kubectl("delete", "domain", "stolen")
    eventually(lambda: ask(shared, host).status_code == 404)
    assert shared.records("hostclaims") == []


@pytest.mark.usefixtures("projects")
@pytest.mark.parametrize(
    ("name", "hostname", "word"),
    [
        ("base", "x.localhost", "belongs to the platform"),
        ("address", "10.0.0.1", "not an address"),
        ("single", "shop", "two labels"),
        ("upper", "Shop.Example", "lower-case"),
    ],
)
def test_refused_with_a_reason(name: str, hostname: str, word: str, shared: Platform) -> None:
    shared.kubectl("apply", "-f", "-", given=domain(name, "named", hostname))
    seen = eventually(lambda: s if (s := status(shared, name)).get("phase") == "failed" else None)
    assert word in (seen or {})["error"]
    shared.kubectl("delete", "domain", name)


def test_an_account_that_is_not_the_operators_has_to_show_that_the_name_is_its_own(shared: Platform) -> None:
    account = """
apiVersion: setpoint.dev/v1
kind: Account
metadata: {name: guest}
spec: {displayName: Guest}
"""
    shared.kubectl("apply", "-f", "-", given=account)
    eventually(lambda: "acc-guest" in shared.kubectl("get", "namespaces"))
    project = """
apiVersion: setpoint.dev/v1
kind: Project
metadata: {name: site, namespace: acc-guest}
spec: {source: {repository: /etc}, deployPolicy: manual}
"""
    shared.kubectl("apply", "-f", "-", given=project)
    refused = eventually(
        lambda: next(
            p["status"]
            for p in shared.records("projects")
            if p["metadata"]["name"] == "site" and p["status"].get("phase") == "failed"
        )
    )
    assert "operator account only" in refused["message"]
    shared.kubectl("apply", "-f", "-", given=domain("mine", "site", "localhost.localdomain", "acc-guest"))
    seen = eventually(lambda: s if (s := status(shared, "mine")).get("phase") == "pending" else None)
    conditions = {c["type"]: c for c in (seen or {})["conditions"]}
    assert "CNAME" in conditions["Ready"]["message"]
    shared.kubectl("delete", "account", "guest")
    # A real garbage collector learns of a new kind within 30 s, asks again for its owners at doubling intervals (40 s
    # here, measured), and the controller of namespaces waits for another 5 s: only a kind of a minute ago goes at once.
    eventually(lambda: "acc-guest" not in shared.kubectl("get", "namespaces"), 180)
