"""Whose lists open what: HAProxy's maps say the same as the policy."""

import ipaddress

from hypothesis import given
from hypothesis import strategies as st

from cluster.egress.policy import Address, Network, Policy
from cluster.egress.tenants import NETWORKS, OPENINGS, TENANTS, Tenant, map_changes, maps_of

NETS = st.builds(
    lambda third, length: Network((f"10.1.{third}.0", length), strict=False), st.integers(0, 255), st.integers(16, 32)
)
LISTS = st.dictionaries(st.sampled_from(["acc-a", "acc-b", "acc-c"]), st.lists(NETS, max_size=4).map(tuple))
AT = {f"198.18.0.{n}": Tenant(f"acc-{who}", "shop", f"shop-{n}") for n, who in ((6, "a"), (10, "b"), (14, "c"))}


def as_haproxy_does(maps: dict[str, dict[str, str]], source: str, target: str) -> bool:
    """The rules of egress.cfg: the narrowest network around the destination, then the pair."""
    tenant = maps[TENANTS].get(source)
    around = [Network(key) for key in maps[NETWORKS] if Address(target) in Network(key)]
    if tenant is None or not around:
        return False
    return f"{tenant}@{max(around, key=lambda network: network.prefixlen)}" in maps[OPENINGS]


@given(LISTS, st.sampled_from(sorted(AT)), st.integers(0, 255), st.integers(0, 255))
def test_a_list_opens_what_is_in_it_for_that_account_alone(
    lists: dict[str, tuple[Network, ...]], source: str, third: int, fourth: int
) -> None:
    target = f"10.1.{third}.{fourth}"
    maps = {name: dict(entries) for name, entries in maps_of(AT, lists).items()}
    expected = any(Address(target) in network for network in lists.get(AT[source].namespace, ()))
    assert as_haproxy_does(maps, source, target) == expected
    of_tenants = {at: lists.get(who.namespace, ()) for at, who in AT.items()}
    assert Policy(frozenset(), (), (), (), of_tenants).open(source, target) == expected


@given(
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xy")),
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xy")),
)
def test_changes_lead_from_one_map_to_the_other(there: dict[str, str], wanted: dict[str, str]) -> None:
    found = dict(there)
    for line in map_changes("file.map", there, wanted):
        verb, _, file, key, *value = line.split()
        assert file == "file.map"
        assert (key in found) == (verb != "add")
        if verb == "del":
            del found[key]
        else:
            (found[key],) = value
    assert found == wanted


def test_a_namespace_that_is_none_gets_into_no_map() -> None:
    lists = {"acc-a\nadd": (ipaddress.IPv4Network("10.0.0.0/8"),)}
    at = {"198.18.0.6": Tenant("acc-a\nadd", "shop", "one")}
    assert all(not entries for entries in maps_of(at, lists).values())
