"""The picture that is kept in step is the same as one made anew."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cluster.router.picture import Picture
from cluster.router.view import View
from crds.models.instance import Instance
from crds.models.route import Route
from crds.models.workload import Workload
from tests.unit.cluster.router.records import EPOCH, instance, route, serving, workload

_projects = st.sampled_from(["a", "b", "c"])
_names = st.sampled_from(["old", "new", "other"])
_hosts = st.lists(st.sampled_from(["x.example", "y.example", "a--main.localhost", "A B"]), max_size=3, unique=True)
_routes = st.builds(route, _projects, _hosts.map(tuple), _names, st.none() | _names, age=st.integers(0, 2))
_workloads = st.builds(workload, _names, st.integers(0, 2))
_instances = st.builds(
    instance,
    _names,
    st.integers(1, 3),
    deleting=st.booleans(),
    ready=st.booleans(),
    address=st.sampled_from(["127.0.0.1:1", "127.0.0.1:2", "nonsense", None]),
)
_changes = st.lists(st.tuples(st.booleans(), st.one_of(_routes, _workloads, _instances)), max_size=25)


def put(view: View, number: int, record: Route | Workload | Instance, remove: bool) -> None:
    stores: dict[type[Any], Any] = {Route: view.routes, Workload: view.workloads, Instance: view.instances}
    store, old = stores[type(record)], stores[type(record)].get(*record.key)
    record.metadata.resource_version = str(number)
    if remove and old is not None:
        old.metadata.resource_version = str(number)
        store.remove(old)
    elif not remove:
        record.metadata.uid = old.uid if old is not None else f"uid-{number}"
        store.upsert(record)


@given(_changes, st.sets(st.integers(0, 25)))
def test_looking_only_at_what_was_touched_misses_nothing(
    changes: list[tuple[bool, Route | Workload | Instance]], pauses: set[int]
) -> None:
    view = View(lambda: None)
    picture = Picture(view, "localhost")
    for number, (remove, record) in enumerate(changes):
        put(view, number + 1, record, remove)
        if number in pauses:
            picture.update({})
    picture.update({})
    everything: list[Route | Workload | Instance] = [*view.routes.list(), *view.workloads.list()]
    everything += view.instances.list()
    assert picture.served == serving(*everything)


def test_what_does_not_matter_to_traffic_wakes_nobody() -> None:
    woken: list[int] = []
    view = View(lambda: woken.append(1))
    record = workload("new")
    put(view, 1, record, remove=False)
    put(view, 2, instance("new", 1), remove=False)
    view.take()
    woken.clear()
    counted = workload("new")
    counted.status.ready = 1
    put(view, 3, counted, remove=False)
    restarted = instance("new", 1, restarts=3, started_at=EPOCH)
    put(view, 4, restarted, remove=False)
    assert woken == []
    put(view, 5, workload("new", replicas=0), remove=False)
    assert woken == [1]
