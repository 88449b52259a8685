"""Repositories over https, from a host whose certificate a private CA signed."""

from collections.abc import Iterator

import httpx
import pytest

from tests.system.githost import GitHost, git_host
from tests.system.platform import Platform, platform
from tests.system.repositories import commit, git, version
from tests.unit.cluster.certificates import Authority


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GitHost, Authority]]:
    with git_host(tmp_path_factory.mktemp("githost")) as found:
        yield found


@pytest.fixture(scope="module")
def host(served: tuple[GitHost, Authority]) -> GitHost:
    return served[0]


@pytest.fixture(scope="module")
def allowing(tmp_path_factory: pytest.TempPathFactory, served: tuple[GitHost, Authority]) -> Iterator[Platform]:
    environment = {"SETPOINT_ALLOW_ADDRESSES": "127.0.0.0/8", "SETPOINT_GIT_CA": str(served[1].ca)}
    with platform(tmp_path_factory.mktemp("allowing") / "data", environment=environment) as running:
        yield running


@pytest.fixture(scope="module")
def operator(allowing: Platform) -> Iterator[httpx.Client]:
    with allowing.api() as client:
        yield client


def connect(api: httpx.Client, name: str, url: str) -> str:
    made = api.post("/v1/projects", json={"name": name})
    assert made.status_code == 201, made.text
    id_: str = made.json()["id"]
    connected = api.post(f"/v1/projects/{id_}/git", json={"repo": url, "branch": "main"})
    assert connected.status_code == 200, connected.text
    return id_


def test_an_address_inside_is_a_failed_deploy_that_says_so(host: GitHost, shared: Platform, api: httpx.Client) -> None:
    commit(host.root / "inside", version("inside"))
    before = len(host.asked)
    deploy = shared.deploy(api, connect(api, "inside", host.url("inside")))
    assert deploy["status"] == "failed"
    assert "internal address" in str(deploy["error"])
    assert len(host.asked) == before, "the host was asked all the same"


def test_served_when_the_operator_allows_the_address_and_names_the_ca(
    host: GitHost, allowing: Platform, operator: httpx.Client
) -> None:
    first = commit(host.root / "shop", version("one"))
    project = connect(operator, "shop", host.url("shop"))
    deploy = allowing.deploy(operator, project)
    assert (deploy["status"], deploy["commit"]) == ("live", first), deploy["error"]
    assert allowing.get("shop").text.strip() == "one"
    second = commit(host.root / "shop", version("two"))
    assert allowing.deploy(operator, project)["commit"] == second
    assert allowing.get("shop").text.strip() == "two"
    assert allowing.deploy(operator, project, ref=first)["status"] == "live"
    assert allowing.get("shop").text.strip() == "one"


def test_a_plan_reads_it_too(host: GitHost, operator: httpx.Client) -> None:
    commit(host.root / "planned", version("planned"))
    source = {"repository": host.url("planned"), "branch": "main"}
    answer = operator.post("/v1/deploy/plan", json={"source": source})
    assert answer.status_code == 200, answer.text
    assert "python" in answer.text


def test_a_redirect_is_not_followed(host: GitHost, allowing: Platform, operator: httpx.Client) -> None:
    commit(host.root / "moving", version("moving"))
    deploy = allowing.deploy(operator, connect(operator, "moving", host.url("moved/moving")))
    assert deploy["status"] == "failed"
    assert "sends elsewhere" in str(deploy["error"])
    assert not [path for path in host.asked if path.startswith("/moving")]


def test_a_repository_that_is_not_there_is_a_failed_deploy(
    host: GitHost, allowing: Platform, operator: httpx.Client
) -> None:
    host.root.mkdir(exist_ok=True)
    deploy = allowing.deploy(operator, connect(operator, "nowhere", host.url("nowhere")))
    assert deploy["status"] == "failed"
    assert "no such repository" in str(deploy["error"])


def test_submodules_are_never_fetched(host: GitHost, allowing: Platform, operator: httpx.Client) -> None:
    other = commit(host.root / "module", {"secret.txt": "from elsewhere"})
    modules = f'[submodule "module"]\n\tpath = module\n\turl = {host.url("module")}\n'
    whole = host.root / "whole"
    commit(whole, {**version("whole"), ".gitmodules": modules})
    git(whole, "update-index", "--add", "--cacheinfo", f"160000,{other},module")
    git(whole, "commit", "-q", "-m", "With a submodule")
    deploy = allowing.deploy(operator, connect(operator, "whole", host.url("whole")))
    assert deploy["status"] == "live", deploy["error"]
    assert not [path for path in host.asked if path.startswith("/module")]


def test_a_user_name_in_the_address_is_refused(host: GitHost, operator: httpx.Client) -> None:
    made = operator.post("/v1/projects", json={"name": "named"}).json()["id"]
    for user in ("me@", "me:canary-word@"):
        url = host.url("shop").replace("https://", f"https://{user}")
        answer = operator.post(f"/v1/projects/{made}/git", json={"repo": url})
        assert answer.status_code in (400, 422), answer.text
        assert "canary" not in answer.text
