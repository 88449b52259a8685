"""The records that the router watches, and which Routes a change of them may concern."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cluster.router.plan import Key, Records, calls
from crds.client.client import Client
from crds.client.reflector import Reflector
from crds.client.store import Store
from crds.models.instance import Instance
from crds.models.route import Route
from crds.models.workload import Workload
from crds.names import FINALIZER_ROUTER

_DRAIN_SECONDS = 10
_LEAVING = "leaving"
_CALLING = "calling"


def _workloads_of_route(route: Route) -> Iterable[str]:
    return [f"{route.namespace}/{name}" for name in {route.spec.workload, route.status.served_by} if name]


def _workload_of(instance: Instance) -> Iterable[str]:
    return [f"{instance.namespace}/{instance.spec.workload}"]


def _leaving(instance: Instance) -> Iterable[str]:
    return [_LEAVING] if instance.deleting and FINALIZER_ROUTER in instance.metadata.finalizers else []


def _calling(workload: Workload) -> Iterable[str]:
    return [_CALLING] if workload.spec.siblings else []


@dataclass(frozen=True)
class Touched:
    """`routes`: those that may be served otherwise now; `hosts`: some Route came, went, or has other hostnames."""

    routes: frozenset[Key]
    hosts: bool


class View:
    """`changed` is called when something changed that matters here. (A Workload's counts, say, do not.)"""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.routes = Store(Route, {"workload": _workloads_of_route})
        self.instances = Store(Instance, {"workload": _workload_of, _LEAVING: _leaving})
        self.workloads = Store(Workload, {_CALLING: _calling})
        self._changed = changed
        self._routes: set[Key] = set()
        self._hosts = True
        self.routes.subscribe(self._route_changed)
        self.instances.subscribe(self._instance_changed)
        self.workloads.subscribe(self._workload_changed)

    def reflectors(self, client: Client) -> list[Reflector[Any]]:
        stores: tuple[Store[Any], ...] = (self.workloads, self.instances, self.routes)
        return [Reflector(client, store) for store in stores]

    def take(self) -> Touched:
        """What was touched since the last call."""
        touched = Touched(frozenset(self._routes), self._hosts)
        self._routes, self._hosts = set(), False
        return touched

    def records(self) -> Records:
        return Records(self._instances_of, self.workloads.get)

    def leaving(self) -> Sequence[Instance]:
        """Instances that are to go, and wait for their traffic to leave."""
        return self.instances.indexed(_LEAVING, _LEAVING)

    def calls(self) -> dict[str, Key]:
        """See `plan.calls`; of all that may call siblings."""
        found: dict[str, Key] = {}
        for workload in self.workloads.indexed(_CALLING, _CALLING):
            found |= calls(self._instances_of(*workload.key), workload.spec.siblings)
        return found

    def drain_seconds(self, namespace: str, instance: str) -> float:
        """How long this instance may finish what it has, as its workload says."""
        record = self.instances.get(namespace, instance)
        # An instance is named by its workload and a number: that tells even when it is gone.
        name = record.spec.workload if record else instance.rpartition("-")[0]
        workload = self.workloads.get(namespace, name)
        return workload.spec.drain_seconds if workload else _DRAIN_SECONDS

    def _instances_of(self, namespace: str, workload: str) -> Iterable[Instance]:
        return self.instances.indexed("workload", f"{namespace}/{workload}")

    def _route_changed(self, old: Route | None, new: Route | None) -> None:
        """Its status is ours: what is written there comes back, and moves nothing."""
        route = new or old
        if route is not None:
            self._routes.add(route.key)
        self._hosts = self._hosts or _hosts_part(old) != _hosts_part(new)
        if _wanted_part(old) != _wanted_part(new):
            self._changed()

    def _instance_changed(self, old: Instance | None, new: Instance | None) -> None:
        if _serving_part(old) != _serving_part(new):
            for instance in (old, new):
                if instance is not None:
                    self._touch(instance.namespace, instance.spec.workload)
            self._changed()

    def _workload_changed(self, old: Workload | None, new: Workload | None) -> None:
        workload = new or old
        if workload is not None and _standing_part(old) != _standing_part(new):
            self._touch(workload.namespace, workload.name)
            self._changed()

    def _touch(self, namespace: str, workload: str) -> None:
        self._routes.update(route.key for route in self.routes.indexed("workload", f"{namespace}/{workload}"))


def _wanted_part(route: Route | None) -> tuple[object, ...]:
    return (route.uid, route.deleting, route.metadata.generation) if route is not None else ()


def _hosts_part(route: Route | None) -> tuple[object, ...]:
    return (route.uid, route.deleting, route.spec.hostnames) if route is not None else ()


def _standing_part(workload: Workload | None) -> tuple[object, ...]:
    """What of a workload decides whether traffic waits for it. (How long it may drain is looked up when it drains.)"""
    return (workload.uid, workload.spec.replicas == 0, workload.spec.siblings) if workload is not None else ()


def _serving_part(instance: Instance | None) -> tuple[object, ...]:
    """What of an instance matters to traffic."""
    if instance is None:
        return ()
    status, meta = instance.status, instance.metadata
    return (instance.uid, instance.deleting, meta.finalizers, status.ready, status.address, status.phase)
