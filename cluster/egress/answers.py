"""What an instance is told about a name. Pure: one question, one answer of a name server, judged."""

from collections.abc import Callable

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

from cluster.fabric.addresses import GATEWAY

_INTERNAL = dns.name.from_text("internal.")
_INTERNAL_SECONDS = 60
Open = Callable[[str], bool]
"""May it connect to this address?"""


class Unusable(Exception):
    """This is no question, or no answer to it."""


def read_question(wire: bytes) -> dns.message.Message:
    """Raises Unusable."""
    try:
        query = dns.message.from_wire(wire)
    except (dns.exception.DNSException, ValueError) as error:
        raise Unusable(str(error)) from error
    if query.flags & dns.flags.QR or len(query.question) != 1 or query.question[0].rdclass != dns.rdataclass.IN:
        raise Unusable("Not one question about the internet.")
    return query


def answer_at_once(query: dns.message.Message) -> bytes | None:
    """Where no name server need be asked: there is no IPv6 inside, whole zones are not given away, and what is called
    <name>.internal is behind the gateway (whether there is such a project, and who may call it, the router knows)."""
    kind, name = query.question[0].rdtype, query.question[0].name
    if name.is_subdomain(_INTERNAL):
        return _inside(query) if len(name) == len(_INTERNAL) + 1 else refusal(query, dns.rcode.NXDOMAIN)
    if kind == dns.rdatatype.AAAA:
        return dns.message.make_response(query, recursion_available=True).to_wire()
    if kind in (dns.rdatatype.ANY, dns.rdatatype.AXFR, dns.rdatatype.IXFR):
        return refusal(query)
    return None


def _inside(query: dns.message.Message) -> bytes:
    answer = dns.message.make_response(query, recursion_available=True)
    if query.question[0].rdtype == dns.rdatatype.A:
        found = dns.rrset.from_text(query.question[0].name, _INTERNAL_SECONDS, "IN", "A", GATEWAY)
        answer.answer.append(found)
    return answer.to_wire()


def refusal(query: dns.message.Message, code: dns.rcode.Rcode = dns.rcode.REFUSED) -> bytes:
    answer = dns.message.make_response(query, recursion_available=True)
    answer.set_rcode(code)
    return answer.to_wire()


def judge(query: dns.message.Message, wire: bytes, is_open: Open) -> bytes:
    """The name server's answer as it is, or a refusal when it leads to where nobody may go: so a name is of no use to
    find out what is inside. Raises Unusable for what is no answer to the question."""
    try:
        answer = dns.message.from_wire(wire, ignore_trailing=True)
    except (dns.exception.DNSException, ValueError) as error:
        raise Unusable(str(error)) from error
    if not query.is_response(answer):
        raise Unusable("An answer to another question.")
    addresses = (str(item) for found in answer.answer if found.rdtype == dns.rdatatype.A for item in found)
    return wire if all(map(is_open, addresses)) else refusal(query)
