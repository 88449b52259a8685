"""Lending slots."""

from hypothesis import given
from hypothesis import strategies as st

from cluster.router.slots import lend, slot_names

_keys = st.integers(1, 12).map(lambda n: ("acc-main", f"p{n}"))
_names = st.sampled_from(slot_names(10))


@given(st.dictionaries(_keys, _names), st.sets(_keys), st.integers(0, 10), st.sets(_names))
def test_no_slot_has_two_routes_and_none_is_busy_with_anothers_servers(
    lent: dict[tuple[str, str], str], routes: set[tuple[str, str]], count: int, busy: set[str]
) -> None:
    lent = {key: slot for slot, key in {slot: key for key, slot in lent.items()}.items()}
    slots = slot_names(count)
    result = lend(lent, sorted(routes), slots, busy)
    assert len(set(result.lent.values())) == len(result.lent)
    assert set(result.lent.values()) <= set(slots)
    for key, slot in result.lent.items():
        assert lent.get(key) == slot or slot not in busy
    assert result.missing == len(routes) - len(result.lent)
    assert result.spare >= 0
    assert not (result.missing and result.spare)


@given(st.sets(_keys, max_size=10))
def test_a_route_keeps_its_slot(routes: set[tuple[str, str]]) -> None:
    first = lend({}, sorted(routes), slot_names(10), ())
    again = lend(first.lent, sorted(routes, reverse=True), slot_names(20), set(first.lent.values()))
    assert again.lent == first.lent
