"""Records for the router's tests."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from cluster.router.plan import Key, Records, Serving, host_owners, serve
from crds.models.instance import Instance, InstanceSpec, InstanceStatus
from crds.models.record import Metadata
from crds.models.route import Route, RouteSpec, RouteStatus
from crds.models.workload import Workload, WorkloadSpec

EPOCH = datetime(2026, 11, 21, tzinfo=UTC)
NAMESPACE = "acc-main"


def route(
    name: str = "shop",
    hosts: tuple[str, ...] = ("shop--main.localhost",),
    workload: str = "new",
    served_by: str | None = None,
    namespace: str = NAMESPACE,
    age: int = 0,
) -> Route:
    meta = Metadata(
        name=name, namespace=namespace, uid=f"u-{name}", generation=2, creation_timestamp=EPOCH - timedelta(seconds=age)
    )
    spec = RouteSpec(project=name, hostnames=list(hosts), deploy=workload, workload=workload)
    return Route(metadata=meta, spec=spec, status=RouteStatus(served_by=served_by))


def workload(name: str, replicas: int = 1, namespace: str = NAMESPACE) -> Workload:
    spec = WorkloadSpec(
        project="shop", deploy=name, process="web", artifact="a", command="c", served=True, replicas=replicas
    )
    return Workload(metadata=Metadata(name=name, namespace=namespace, uid=f"u-{name}"), spec=spec)


def instance(
    of: str, number: int = 1, *, deleting: bool = False, namespace: str = NAMESPACE, **status: Any
) -> Instance:
    values = {"ready": True, "phase": "running", "address": f"127.0.0.1:{20000 + number}"} | status
    meta = Metadata(
        name=f"{of}-{number}",
        namespace=namespace,
        uid=f"u-{of}-{number}",
        deletion_timestamp=EPOCH if deleting else None,
    )
    spec = InstanceSpec(workload=of, node="node-1")
    return Instance(metadata=meta, spec=spec, status=InstanceStatus(**values))


def records(*items: Workload | Instance) -> Records:
    workloads = {item.key: item for item in items if isinstance(item, Workload)}
    instances = [item for item in items if isinstance(item, Instance)]
    return Records(
        lambda namespace, name: [i for i in instances if (i.namespace, i.spec.workload) == (namespace, name)],
        lambda namespace, name: workloads.get((namespace, name)),
    )


def serving(*items: Route | Workload | Instance, holders: Mapping[str, Key] | None = None) -> dict[Key, Serving]:
    """How each Route among these is to be served, the base domain being `localhost`."""
    routes = [item for item in items if isinstance(item, Route)]
    owners = host_owners(routes, "localhost", holders)
    known = records(*(item for item in items if not isinstance(item, Route)))
    return {route.key: serve(known, route, "localhost", owners) for route in routes}
