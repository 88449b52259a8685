"""Who may reach what."""

import ipaddress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.egress.files import configuration, list_text, lists, shape_of
from cluster.egress.own_addresses import own_addresses
from cluster.egress.policy import DENIED, Address, Network, Policy, networks
from cluster.fabric.addresses import GATEWAY, HOST_LOOPBACK, pair

RUN, BUILD = pair("run", 7).inner, pair("build", 7).inner
OWN = Address("203.0.113.9")
STRICT = Policy(frozenset({OWN}), (), ())


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "169.254.169.254",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        GATEWAY,
        HOST_LOOPBACK,
        pair("run", 8).inner,
        str(OWN),
    ],
)
def test_nothing_inside_is_open(address: str) -> None:
    assert not STRICT.open(RUN, address)
    assert not STRICT.open(BUILD, address)


@pytest.mark.parametrize("address", ["1.1.1.1", "203.0.113.8", "172.32.0.1", "198.17.255.255", "198.20.0.0"])
def test_the_rest_of_the_world_is(address: str) -> None:
    assert STRICT.open(RUN, address)


def test_what_is_allowed_for_builds_is_not_for_runs() -> None:
    policy = Policy(frozenset({OWN}), networks(["10.1.0.0/16"]), networks(["127.0.0.0/8", "203.0.113.9"]))
    for_both, for_builds = ("10.1.2.3",), (HOST_LOOPBACK, str(OWN))
    assert all(policy.open(source, address) for source in (RUN, BUILD) for address in for_both)
    assert all(policy.open(BUILD, address) for address in for_builds)
    assert not any(policy.open(RUN, address) for address in for_builds)


@given(st.ip_addresses(v=4))
def test_only_public_addresses_are_open_unless_they_are_allowed(address: ipaddress.IPv4Address) -> None:
    opened = STRICT.open(RUN, str(address))
    if opened:
        assert address != OWN
        assert not address.is_loopback
        assert not address.is_link_local
        assert not address.is_multicast
        assert not address.is_unspecified
    if address.is_global and not any(address in network for network in DENIED):
        assert opened
    assert Policy(frozenset({OWN}), (Network(address),), ()).open(RUN, str(address))


def test_networks_that_are_not_of_ipv4_are_left_out_and_bad_ones_refused() -> None:
    assert networks(["fd00::/8", "10.0.0.1/8"]) == (Network("10.0.0.0/8"),)
    with pytest.raises(ValueError, match="does not appear"):
        networks(["nonsense"])


def test_the_files_say_the_whole_policy_and_their_shape_tells_another() -> None:
    policy = Policy(frozenset({OWN}), networks(["10.1.0.0/16"]), networks(["10.2.0.0/16"]), (25, 465))
    assert "{ dst_port 25 465 }" in configuration(policy, "x.sock")
    found = {name: list_text(items) for name, items in lists(policy).items()}
    assert found["own.lst"] == "203.0.113.9\n"
    assert found["allow.lst"] == "10.1.0.0/16\n"
    assert found["allow-builds.lst"] == "10.2.0.0/16\n"
    assert set(found["denied.lst"].split()) == {str(network) for network in DENIED}
    assert shape_of(configuration(policy, "x.sock")) == shape_of(configuration(replace(policy, allow=()), "x.sock")), (
        "lists change alone"
    )
    assert shape_of(configuration(policy, "x.sock")) != shape_of(configuration(STRICT, "x.sock"))


def test_the_machine_knows_its_own_addresses() -> None:
    assert Address("127.0.0.1") in own_addresses()
