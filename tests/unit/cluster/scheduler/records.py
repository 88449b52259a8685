"""Records for the scheduler's tests."""

from datetime import UTC, datetime, timedelta
from typing import Any

from crds.models.build import Build, BuildSpec, BuildStatus
from crds.models.gitref import GitRef, GitRefSpec, GitRefStatus
from crds.models.instance import Instance, InstanceSpec, InstanceStatus
from crds.models.record import Metadata
from crds.models.workload import Workload, WorkloadSpec

EPOCH = datetime(2026, 11, 21, tzinfo=UTC)
NAMESPACE = "acc-main"


def workload(replicas: int = 1, **spec: Any) -> Workload:
    values: dict[str, Any] = {
        "project": "shop",
        "deploy": "shop-1",
        "process": "web",
        "artifact": "sha256:" + "0" * 64,
        "command": "python app.py",
        "served": True,
        "replicas": replicas,
    }
    meta = Metadata(name="shop-1-web", namespace=NAMESPACE, uid="w1", generation=3, labels={"a": "b"})
    return Workload(metadata=meta, spec=WorkloadSpec(**(values | spec)))


def instance(number: int, node: str = "node-1", size: str = "nano", **status: Any) -> Instance:
    meta = Metadata(
        name=f"shop-1-web-{number}",
        namespace=NAMESPACE,
        uid=f"i{number}",
        creation_timestamp=EPOCH + timedelta(seconds=number),
    )
    spec = InstanceSpec(workload="shop-1-web", node=node, size=size)
    return Instance(metadata=meta, spec=spec, status=InstanceStatus(**status))


def build(number: int, **status: Any) -> Build:
    meta = Metadata(name=f"build-{number}", namespace=NAMESPACE, creation_timestamp=EPOCH + timedelta(seconds=number))
    spec = BuildSpec(project="shop", deploy="shop-1", repository="/srv/shop.git", commit="a" * 40)
    return Build(metadata=meta, spec=spec, status=BuildStatus(**status))


def gitref(interval: int = 0, asked: str = "", **status: Any) -> GitRef:
    spec = GitRefSpec(project="shop", repository="/srv/shop.git", request=asked, interval_seconds=interval)
    return GitRef(metadata=Metadata(name="shop-head", namespace=NAMESPACE), spec=spec, status=GitRefStatus(**status))
