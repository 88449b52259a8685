"""Placement: never over-commits, spreads, says why when it cannot."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crds.sizes import MIB, SIZES
from planning.placement import Demand, NodeRoom, Room, place, room_of


def node(name: str, cpu: int = 2000, memory: int = 4096, count: int = 0, **more: object) -> NodeRoom:
    return NodeRoom(name, Room(cpu, memory * MIB, count), **more)  # type: ignore[arg-type]


_rooms = st.builds(Room, st.integers(0, 8000), st.integers(0, 16384).map(lambda mib: mib * MIB), st.integers(0, 30))
_nodes = st.lists(
    st.builds(
        NodeRoom,
        name=st.sampled_from([f"node-{n}" for n in range(6)]),
        offers=_rooms,
        used=_rooms,
        peers=st.integers(0, 3),
        excluded=st.sampled_from(["", "", "cordoned", "not ready"]),
    ),
    unique_by=lambda n: n.name,
    max_size=6,
)
_demands = st.builds(Demand, st.sampled_from(list(SIZES.values())), st.integers(0, 20))


@given(_demands, _nodes)
def test_never_more_than_is_free(demand: Demand, nodes: list[NodeRoom]) -> None:
    placed = Counter(place(demand, nodes).nodes)
    by_name = {n.name: n for n in nodes}
    for name, count in placed.items():
        taken, free = room_of(demand.size).times(count), by_name[name].free
        assert not by_name[name].excluded
        assert taken.milli_cpu <= free.milli_cpu
        assert taken.memory_bytes <= free.memory_bytes
        assert taken.instances <= free.instances


@given(_demands, _nodes)
def test_all_placed_or_a_shortfall_and_then_no_node_has_room(demand: Demand, nodes: list[NodeRoom]) -> None:
    placement = place(demand, nodes)
    assert (len(placement.nodes) == demand.count) == (placement.shortfall == "")
    if placement.shortfall:
        placed, one = Counter(placement.nodes), room_of(demand.size)
        for each in (n for n in nodes if not n.excluded):
            left, taken = each.free, one.times(placed[each.name])
            assert (
                left.milli_cpu - taken.milli_cpu < one.milli_cpu
                or left.memory_bytes - taken.memory_bytes < one.memory_bytes
                or left.instances - taken.instances < 1
            )


@given(_demands, _nodes, st.randoms(use_true_random=False))
def test_the_order_of_nodes_does_not_matter(demand: Demand, nodes: list[NodeRoom], random: Random) -> None:
    shuffled = list(nodes)
    random.shuffle(shuffled)
    assert place(demand, shuffled).nodes == place(demand, nodes).nodes


@given(st.integers(1, 6), st.integers(0, 40))
def test_spreads_evenly_over_roomy_nodes(node_count: int, instances: int) -> None:
    nodes = [node(f"node-{n}", cpu=100_000, memory=100_000) for n in range(node_count)]
    counts = Counter({n.name: 0 for n in nodes})
    counts.update(place(Demand(SIZES["nano"], instances), nodes).nodes)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_peers_count_before_load() -> None:
    busy = node("a", used=Room(1500, 0, 9))
    assert place(Demand(SIZES["nano"], 1), [busy, node("b", peers=1)]).nodes == ("a",)


def test_least_loaded_when_spread_is_equal() -> None:
    assert place(Demand(SIZES["nano"], 1), [node("a", used=Room(500, 0, 1)), node("b")]).nodes == ("b",)


def test_ten_nano_instances_fill_one_core_exactly() -> None:
    placement = place(Demand(SIZES["nano"], 11), [node("a", cpu=1000)])
    assert len(placement.nodes) == 10


@pytest.mark.parametrize(
    ("demand", "nodes", "says"),
    [
        (
            Demand(SIZES["large"], 3),
            [node("a", cpu=1300)],
            "2 of 3 instances do not fit: needs 2 CPU",
        ),
        (Demand(SIZES["large"], 3), [node("a", cpu=1300)], "the nodes have 0.3 CPU and 3072 MiB free"),
        (Demand(SIZES["large"], 1), [node("a", cpu=600), node("b", cpu=600)], "no node has that much free"),
        (Demand(SIZES["nano"], 1), [], "there is no compute node"),
        (Demand(SIZES["nano"], 1), [node("a", excluded="cordoned")], "a is cordoned"),
        (Demand(SIZES["nano"], 3), [node("a", count=2)], "as many instances as it may"),
    ],
)
def test_the_shortfall_is_a_sentence(demand: Demand, nodes: list[NodeRoom], says: str) -> None:
    assert says in place(demand, nodes).shortfall


def test_more_cpu_may_be_promised_where_cpu_alone_is_short() -> None:
    assert "--cpus" in place(Demand(SIZES["large"], 3), [node("a", cpu=1300)]).shortfall
    full = node("a", used=Room(0, node("a").offers.memory_bytes, 1))
    assert "--cpus" not in place(Demand(SIZES["large"], 1), [full]).shortfall
