"""What an instance is told about a name."""

import dns.flags
import dns.message
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.egress.answers import Unusable, answer_at_once, judge, read_question, refusal
from cluster.fabric.addresses import GATEWAY

PUBLIC = ("1.1.1.1", "8.8.8.8")


def is_open(address: str) -> bool:
    return address in PUBLIC


def asked(name: str = "example.com.", kind: str = "A") -> dns.message.Message:
    return dns.message.make_query(name, kind)


def answered(query: dns.message.Message, *addresses: str, kind: str = "A") -> bytes:
    answer = dns.message.make_response(query)
    if addresses:
        answer.answer.append(dns.rrset.from_text(query.question[0].name, 60, "IN", kind, *addresses))
    return answer.to_wire()


def code(wire: bytes) -> dns.rcode.Rcode:
    return dns.message.from_wire(wire).rcode()


def test_a_public_answer_is_handed_on_as_it_is() -> None:
    query = asked()
    for wire in (answered(query, *PUBLIC), answered(query)):
        assert judge(query, wire, is_open) == wire


def test_siblings_are_behind_the_gateway_and_no_name_server_hears_of_them() -> None:
    for kind, expected in (("A", [GATEWAY]), ("AAAA", []), ("TXT", [])):
        wire = answer_at_once(asked("Shop.internal.", kind))
        assert wire is not None
        assert code(wire) == dns.rcode.NOERROR
        assert [str(item) for found in dns.message.from_wire(wire).answer for item in found] == expected
    for name in ("internal.", "a.b.internal.", "_x._tcp.shop.internal."):
        wire = answer_at_once(asked(name))
        assert wire is not None
        assert code(wire) == dns.rcode.NXDOMAIN
    assert answer_at_once(asked("internal.example.com.")) is None


@pytest.mark.parametrize("addresses", [("10.0.0.1",), (*PUBLIC, "127.0.0.1"), ("169.254.169.254",)])
def test_a_name_that_leads_inside_is_refused_as_a_whole(addresses: tuple[str, ...]) -> None:
    query = asked()
    wire = judge(query, answered(query, *addresses), is_open)
    assert code(wire) == dns.rcode.REFUSED
    assert not dns.message.from_wire(wire).answer


def test_a_hidden_address_behind_another_name_is_refused_too() -> None:
    query = asked()
    answer = dns.message.make_response(query)
    answer.answer.append(dns.rrset.from_text("example.com.", 60, "IN", "CNAME", "inside.example.com."))
    answer.answer.append(dns.rrset.from_text("inside.example.com.", 60, "IN", "A", "10.0.0.1"))
    assert code(judge(query, answer.to_wire(), is_open)) == dns.rcode.REFUSED


def test_an_answer_to_another_question_is_none() -> None:
    query, other = asked(), asked("example.org.")
    for wire in (answered(other, "1.1.1.1"), query.to_wire(), b"", b"nonsense"):
        with pytest.raises(Unusable):
            judge(query, wire, is_open)


def test_there_is_no_ipv6_inside_and_no_zone_is_given_away() -> None:
    wire = answer_at_once(asked(kind="AAAA"))
    assert wire is not None
    assert code(wire) == dns.rcode.NOERROR
    assert not dns.message.from_wire(wire).answer
    for kind in ("ANY", "AXFR"):
        refused = answer_at_once(asked(kind=kind))
        assert refused is not None
        assert code(refused) == dns.rcode.REFUSED
    assert answer_at_once(asked(kind="TXT")) is None


def test_only_one_question_about_the_internet_is_one() -> None:
    query = asked()
    assert read_question(query.to_wire()).question == query.question
    chaos = dns.message.make_query("version.bind.", "TXT", dns.rdataclass.CH)
    for wire in (chaos.to_wire(), refusal(query), b"", bytes(12)):
        with pytest.raises(Unusable):
            read_question(wire)


@given(st.binary(max_size=200))
def test_whatever_comes_is_a_question_or_unusable(wire: bytes) -> None:
    try:
        read_question(wire)
    except Unusable:
        return


@given(st.binary(max_size=200), st.integers(0, 65535))
def test_whatever_a_name_server_says_is_judged_or_unusable(rest: bytes, number: int) -> None:
    query = asked()
    query.id = number
    for wire in (rest, number.to_bytes(2) + rest, answered(query, "1.1.1.1")[:30] + rest):
        try:
            judged = judge(query, wire, is_open)
        except Unusable:
            continue
        found = dns.message.from_wire(judged, ignore_trailing=True)
        assert all(is_open(str(item)) for each in found.answer if each.rdtype == dns.rdatatype.A for item in each)
