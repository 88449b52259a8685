"""What is created and deleted for a workload."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from cluster.scheduler.plan import Facts, Steps, plan
from crds.models.instance import Instance
from crds.models.workload import Workload
from crds.names import FINALIZER_NODE, FINALIZER_ROUTER, LABEL_NODE
from crds.sizes import MIB
from planning.placement import NodeRoom, Room
from tests.unit.cluster.scheduler.records import instance, workload


def node(name: str, cpu: int = 2000, excluded: str = "") -> NodeRoom:
    return NodeRoom(name, Room(cpu, 8192 * MIB, 0), excluded=excluded)


TWO_NODES = [node("node-1"), node("node-2")]


def steps_for(
    wanted: Workload,
    instances: Sequence[Instance] = (),
    nodes: Sequence[NodeRoom] = TWO_NODES,
    names: Sequence[str] = (),
    lost: Sequence[str] = (),
    leaving: Sequence[str] = (),
) -> Steps:
    taken = [*names, *(i.name for i in instances)]
    return plan(Facts(wanted, instances, taken, nodes, lost, leaving))


def names(instances: Sequence[Instance]) -> list[str]:
    return [i.name for i in instances]


def test_makes_what_is_missing_spread_over_the_nodes() -> None:
    steps = steps_for(workload(3))
    assert names(steps.create) == ["shop-1-web-1", "shop-1-web-2", "shop-1-web-3"]
    assert [i.spec.node for i in steps.create] == ["node-1", "node-2", "node-1"]


def test_an_instance_belongs_to_its_workload_and_waits_for_node_and_router() -> None:
    made = steps_for(workload(1)).create[0]
    assert made.metadata.finalizers == [FINALIZER_NODE, FINALIZER_ROUTER]
    assert made.metadata.owner_references[0].uid == "w1"
    assert made.metadata.labels == {"a": "b", LABEL_NODE: "node-1"}
    worker = steps_for(workload(1, served=False)).create[0]
    assert worker.metadata.finalizers == [FINALIZER_NODE]


def test_takes_the_smallest_free_number() -> None:
    steps = steps_for(workload(3), [instance(2)], names=["shop-1-web-1"])
    assert names(steps.create) == ["shop-1-web-3", "shop-1-web-4"]


def test_scale_down_takes_those_not_ready_then_the_newest() -> None:
    there = [instance(1, ready=True), instance(2), instance(3, ready=True)]
    assert names(steps_for(workload(1), there).delete) == ["shop-1-web-2", "shop-1-web-3"]
    assert names(steps_for(workload(0), there).delete) == ["shop-1-web-2", "shop-1-web-3", "shop-1-web-1"]


def test_resize_makes_the_new_one_first() -> None:
    wanted, old = workload(1, size="small"), instance(1, ready=True)
    steps = steps_for(wanted, [old])
    assert (names(steps.create), steps.delete) == (["shop-1-web-2"], ())
    assert steps_for(wanted, [old, instance(2, size="small")]) == Steps()
    steps = steps_for(wanted, [old, instance(2, size="small", ready=True)])
    assert (steps.create, names(steps.delete)) == ((), ["shop-1-web-1"])


def test_a_node_that_is_to_be_emptied_keeps_its_instance_until_another_is_ready() -> None:
    nodes = [node("node-1", excluded="cordoned"), node("node-2")]
    old = instance(1, ready=True)
    steps = steps_for(workload(1), [old], nodes, leaving=["node-1"])
    assert ([i.spec.node for i in steps.create], steps.delete) == (["node-2"], ())
    steps = steps_for(workload(1), [old, instance(2, "node-2", ready=True)], nodes, leaving=["node-1"])
    assert names(steps.delete) == ["shop-1-web-1"]


def test_instances_of_a_lost_node_are_replaced() -> None:
    nodes = [node("node-1", excluded="not ready"), node("node-2")]
    steps = steps_for(workload(2), [instance(1, ready=True), instance(2, "node-2", ready=True)], nodes, lost=["node-1"])
    assert [i.spec.node for i in steps.create] == ["node-2"]
    assert names(steps.replaced) == ["shop-1-web-1"]
    assert steps.shortfall == ""


def test_instances_of_a_lost_node_stay_when_no_other_can_take_them() -> None:
    nodes = [node("node-1", excluded="not ready")]
    assert steps_for(workload(1), [instance(1, ready=True)], nodes, lost=["node-1"]) == Steps()
    steps = steps_for(workload(2), [instance(1, ready=True)], nodes, lost=["node-1"])
    assert (steps.create, steps.replaced) == ((), ())
    assert "node-1 is not ready" in steps.shortfall


def test_what_fits_is_made_and_the_rest_is_said() -> None:
    steps = steps_for(workload(3, size="large"), nodes=[node("node-1", cpu=2000)])
    assert len(steps.create) == 2
    assert "1 of 3 instances do not fit" in steps.shortfall


_instances = st.lists(
    st.builds(
        instance,
        st.integers(1, 12),
        node=st.sampled_from(["node-1", "node-2"]),
        size=st.sampled_from(["nano", "small"]),
        ready=st.booleans(),
    ),
    unique_by=lambda i: i.name,
    max_size=8,
)


@given(_instances, st.integers(0, 6), st.sampled_from([(), ("node-1",)]))
def test_never_fewer_ready_than_before_unless_fewer_are_wanted(
    there: list[Instance], replicas: int, leaving: tuple[str, ...]
) -> None:
    steps = steps_for(workload(replicas), there, leaving=leaving)
    ready = [i for i in there if i.status.ready]
    gone = {i.name for i in steps.delete}
    assert len([i for i in ready if i.name not in gone]) >= min(replicas, len(ready))


@given(_instances, st.integers(0, 6), st.sampled_from([(), ("node-1",), ("node-1", "node-2")]))
def test_carried_out_again_and_again_it_comes_to_rest_with_what_is_wanted(
    there: list[Instance], replicas: int, lost: tuple[str, ...]
) -> None:
    nodes = [node(n, excluded="not ready" if n in lost else "") for n in ("node-1", "node-2")]
    for _ in range(4):
        steps = steps_for(workload(replicas), there, nodes, lost=lost)
        gone = {i.name for i in (*steps.delete, *steps.replaced)}
        made = [i.model_copy(update={"status": i.status.model_copy(update={"ready": True})}) for i in steps.create]
        there = [i for i in there if i.name not in gone] + made
    assert steps_for(workload(replicas), there, nodes, lost=lost).create == ()
    if set(lost) < {"node-1", "node-2"}:
        assert sum(1 for i in there if i.spec.size == "nano" and i.spec.node not in lost) == replicas
