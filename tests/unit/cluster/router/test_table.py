"""The difference of two tables brings the one to the other."""

from hypothesis import given
from hypothesis import strategies as st

from cluster.router.table import AddServer, DropHost, PointHost, Retire, Revive, Server, Table, applied, difference

_slots = st.sampled_from(["s00001", "s00002", "s00003"])
_hosts = st.dictionaries(st.sampled_from([f"{letter}.localhost" for letter in "abcdef"]), _slots)


def _servers(accepting: st.SearchStrategy[bool]) -> st.SearchStrategy[dict[tuple[str, str], Server]]:
    """A server's name is made from its address: one name, one address."""
    keys = st.tuples(_slots, st.integers(1, 6))
    found = st.dictionaries(keys, accepting)
    return found.map(
        lambda all_: {(slot, f"i-{n}"): Server(f"127.0.0.1:{20000 + n}", up) for (slot, n), up in all_.items()}
    )


_actual = st.builds(Table, _hosts, _servers(st.booleans()))
_wanted = st.builds(Table, _hosts, _servers(st.just(True)))


@given(_actual, _wanted)
def test_applying_the_difference_gives_what_is_wanted(actual: Table, wanted: Table) -> None:
    assert applied(actual, difference(actual, wanted)) == wanted


@given(_wanted)
def test_nothing_is_to_be_done_twice(wanted: Table) -> None:
    assert difference(wanted, wanted) == []


@given(_actual, _wanted)
def test_what_is_new_comes_before_what_goes(actual: Table, wanted: Table) -> None:
    rank = {AddServer: 0, Revive: 0, PointHost: 1, DropHost: 2, Retire: 3}
    ranks = [rank[type(operation)] for operation in difference(actual, wanted)]
    assert ranks == sorted(ranks)


def test_a_hostname_that_is_there_is_pointed_elsewhere() -> None:
    before, after = Table({"a.localhost": "s00001"}), Table({"a.localhost": "s00002", "b.localhost": "s00001"})
    assert difference(before, after) == [
        PointHost("a.localhost", "s00002", known=True),
        PointHost("b.localhost", "s00001", known=False),
    ]
