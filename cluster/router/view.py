"""The records that the router watches."""

from collections.abc import Callable, Iterable

from cluster.router.plan import Records
from crds.client.client import Client
from crds.client.reflector import Reflector
from crds.client.store import Store
from crds.models.instance import Instance
from crds.models.record import Record
from crds.models.route import Route
from crds.models.workload import Workload

_DRAIN_SECONDS = 10


def _by_workload(instance: Instance) -> Iterable[str]:
    return [f"{instance.namespace}/{instance.spec.workload}"]


class View:
    """`changed` is called after every change of any of them."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.routes = Store(Route)
        self.instances = Store(Instance, {"workload": _by_workload})
        self.workloads = Store(Workload)

        def tell(_old: Record | None, _new: Record | None) -> None:
            changed()

        self.routes.subscribe(tell)
        self.instances.subscribe(tell)
        self.workloads.subscribe(tell)

    def reflectors(self, client: Client) -> list[Reflector]:  # type: ignore[type-arg]
        return [Reflector(client, store) for store in (self.workloads, self.instances, self.routes)]

    def records(self) -> Records:
        return Records(self.routes.list(), self._instances_of, self.workloads.get)

    def drain_seconds(self, namespace: str, instance: str) -> float:
        """How long this instance may finish what it has, as its workload says."""
        record = self.instances.get(namespace, instance)
        # An instance is named by its workload and a number: that tells even when it is gone.
        name = record.spec.workload if record else instance.rpartition("-")[0]
        workload = self.workloads.get(namespace, name)
        return workload.spec.drain_seconds if workload else _DRAIN_SECONDS

    def _instances_of(self, namespace: str, workload: str) -> Iterable[Instance]:
        return self.instances.indexed("workload", f"{namespace}/{workload}")
