"""Scaling by the API and by kubectl; spreading over nodes; saying so when more is wanted than fits."""

from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.system.platform import Platform, eventually, platform
from tests.system.projects import live_project
from tests.system.repositories import commit, version


@pytest.fixture(scope="module")
def nodes() -> int:
    return 3


@pytest.fixture(scope="module")
def project(running: Platform, client: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> str:
    return live_project(running, client, "scaled", tmp_path_factory.mktemp("repository"), version("scaled"))


def running_on(client: httpx.Client, project: str, count: int) -> list[str]:
    """The nodes of the running instances, once there are so many."""

    def look() -> list[str] | None:
        instances = client.get(f"/v1/projects/{project}/instances").json()["instances"]
        nodes = [i["node"] for i in instances if i["status"] == "running"]
        return [*nodes, "."] if len(nodes) == count and len(instances) == count else None

    return (eventually(look, 40) or ["."])[:-1]


def scale(client: httpx.Client, project: str, instances: int, **more: str) -> None:
    answer = client.post(f"/v1/projects/{project}/scale", json={"instances": instances, **more})
    assert answer.status_code == 200, answer.text


def test_by_api_and_by_kubectl_one_three_zero_two(running: Platform, client: httpx.Client, project: str) -> None:
    scale(client, project, 3)
    assert set(Counter(running_on(client, project, 3)).values()) == {1}, "one on each node"
    running.kubectl("-n", "acc-main", "scale", "scaling/scaled-web", "--replicas=0")
    running_on(client, project, 0)
    eventually(lambda: client.get(f"/v1/projects/{project}").json()["status"] == "stopped")
    answer = running.get("scaled")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    scale(client, project, 2)
    assert len(set(running_on(client, project, 2))) == 2
    eventually(lambda: running.get("scaled").status_code == 200)
    eventually(lambda: client.get(f"/v1/projects/{project}").json()["status"] == "running")


def test_a_project_without_a_web_process_is_scaled_by_its_only_one(
    running: Platform, client: httpx.Client, tmp_path: Path
) -> None:
    project = live_project(running, client, "toilers", tmp_path / "repository", {"Procfile": "worker: sleep 100000\n"})
    scale(client, project, 3)
    running_on(client, project, 3)
    eventually(lambda: client.get(f"/v1/projects/{project}/scale").json()["ready"] == 3)
    scale(client, project, 0)
    running_on(client, project, 0)


def test_what_was_handed_on_is_put_right_when_somebody_else_changes_it(
    running: Platform, client: httpx.Client, project: str
) -> None:
    scale(client, project, 1)
    running_on(client, project, 1)
    (workload,) = (r for r in running.records("workloads") if r["spec"]["project"] == "scaled" and r["spec"]["served"])
    name, generation = workload["metadata"]["name"], workload["metadata"]["generation"]
    running.kubectl("-n", "acc-main", "scale", f"workload/{name}", "--replicas=4")

    def put_right() -> bool:
        (now,) = (r for r in running.records("workloads") if r["metadata"]["name"] == name)
        return bool(now["metadata"]["generation"] == generation + 2 and now["spec"]["replicas"] == 1)

    eventually(put_right)
    running_on(client, project, 1)


def test_more_than_fits_is_said_and_never_silently_cut(running: Platform, client: httpx.Client, project: str) -> None:
    scale(client, project, 100, size="xlarge")
    seen = eventually(
        lambda: (s := client.get(f"/v1/projects/{project}/scale").json())["schedulable"] is False and s, 40
    )
    assert seen
    assert "CPU" in seen["message"] or "memory" in seen["message"].lower()
    eventually(lambda: client.get(f"/v1/projects/{project}").json()["status"] == "degraded")
    record = next(r for r in running.records("scalings") if r["metadata"]["name"] == "scaled-web")
    condition = next(c for c in record["status"]["conditions"] if c["type"] == "Schedulable")
    assert condition["status"] == "False"
    assert condition["message"]
    scale(client, project, 2, size="nano")
    running_on(client, project, 2)
    eventually(lambda: client.get(f"/v1/projects/{project}/scale").json()["schedulable"])


def test_a_node_killed_with_its_instances_is_replaced_within_30_s(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    commit(repository, version("moved"))
    with platform(tmp_path / "data", nodes=2) as two, two.api() as client:
        project = two.new_project(client, "moved", repository)
        two.deploy(client, project)
        scale(client, project, 2)
        assert set(running_on(client, project, 2)) == {"node-1", "node-2"}
        two.lose_node("node-2")

        def elsewhere() -> bool:
            instances = client.get(f"/v1/projects/{project}/instances").json()["instances"]
            good = [i for i in instances if i["status"] == "running" and i["node"] == "node-1"]
            return len(good) == 2

        eventually(elsewhere, 30)
        eventually(lambda: all(two.get("moved").status_code == 200 for _ in range(10)))
