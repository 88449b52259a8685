"""What may pass in the fabric, as nftables rules: what an instance sends goes to the egress proxy, to the names'
forwarder, or nowhere. Nothing is passed on from one link to another."""

import logging
import socket
import struct
from dataclasses import dataclass

from cluster.fabric.addresses import GATEWAY, INSTANCE_PORT
from cluster.fabric.netlink import ACK, CREATE, Netlink, attribute, message, nest, text

_log = logging.getLogger(__name__)
EGRESS_PORT = 15001
NAMES_PORT = 15053
_INET, _IPV4 = 1, 2
_BATCH_BEGIN, _BATCH_END = 0x10, 0x11
_NETFILTER = 12  # NETLINK_NETFILTER, which the socket module does not name
_SUBSYSTEM = 10
_NEW_TABLE, _DELETE_TABLE, _NEW_CHAIN, _NEW_RULE, _NEW_SET = 0, 2, 3, 6, 9
_APPEND = 0x800
_DROP, _ACCEPT = 0, 1
_VERDICT_REGISTER, _REGISTER = 0, 1
_TABLE = "setpoint"
_PREROUTING, _INPUT, _FORWARD, _OUTPUT = 0, 1, 2, 3
_RAW_PRIORITY, _NAT_PRIORITY = -300, -100
_NETWORK_HEADER, _TRANSPORT_HEADER = 1, 2
_META_PROTOCOL, _META_INTERFACE_IN = 16, 4
_CT_STATE = 0
_SYN, _SYN_OR_ACK = 0x02, 0x12
_SET_WITH_TIMEOUT, _SET_OF_RULES = 0x10, 0x20
_UPDATE, _OVER = 1, 1
_ADDRESS_TYPE, _ADDRESS_LENGTH = 7, 4
_MOST_ADDRESSES = 1 << 16
_REMEMBERED_MS = 60_000
_ESTABLISHED, _RELATED, _UNTRACKED = 0b10, 0b100, 0b1000000
Expression = bytes


@dataclass(frozen=True)
class Often:
    """How often each address may do something: so many a second, and some more at once. `name`: of the kernel's set of
    those who did."""

    name: str
    number: int
    per_second: int
    at_once: int


ASKING = Often("asking", 1, 200, 200)
"""For names, so that nobody's questions fill the queue that all share; the forwarder gives each a share of its time."""
CONNECTING = Often("connecting", 2, 300, 1500)
"""By TCP: what is remembered of a connection that ended, times this, is the share of the kernel's table of each."""


def ruleset(limits: list[bytes]) -> list[bytes]:
    """One batch that replaces whatever stands: all of it or nothing. `limits`: rules that come before all others.

    The kernel keeps no state of what the router asks of instances: so it is quicker, and an instance that fills the
    table of connections with its own keeps nobody from being served. (What comes from an instance's port untracked is
    led nowhere, and what it may reach of the fabric by it are listeners that it reaches anyway.)"""
    names = (*_destination(GATEWAY), *_port(53))
    redirects = [
        (*_protocol(socket.IPPROTO_TCP), *names, *_redirect(NAMES_PORT)),
        (*_protocol(socket.IPPROTO_UDP), *names, *_redirect(NAMES_PORT)),
        (*_protocol(socket.IPPROTO_TCP), *_redirect(EGRESS_PORT)),
    ]
    serving = (*_protocol(socket.IPPROTO_TCP), *_port(INSTANCE_PORT), _expression("notrack"))
    served = (*_protocol(socket.IPPROTO_TCP), *_source_port(INSTANCE_PORT), _expression("notrack"))
    inward = [
        (*_known(), _verdict(_ACCEPT)),
        (*_from_interface(1), _verdict(_ACCEPT)),
        (*_protocol(socket.IPPROTO_TCP), *_port(EGRESS_PORT), _verdict(_ACCEPT)),
        (*_protocol(socket.IPPROTO_TCP), *_port(NAMES_PORT), _verdict(_ACCEPT)),
        (*_protocol(socket.IPPROTO_UDP), *_port(NAMES_PORT), _verdict(_ACCEPT)),
    ]
    return [
        _batch(_BATCH_BEGIN),
        _table(_NEW_TABLE, _IPV4),
        _table(_DELETE_TABLE, _IPV4),
        _table(_NEW_TABLE, _IPV4),
        _table(_NEW_TABLE, _INET),
        _table(_DELETE_TABLE, _INET),
        _table(_NEW_TABLE, _INET),
        _chain(_IPV4, "served", "filter", _PREROUTING, _RAW_PRIORITY, _ACCEPT),
        *limits,
        _rule(_IPV4, "served", *served),
        _chain(_IPV4, "serving", "filter", _OUTPUT, _RAW_PRIORITY, _ACCEPT),
        _rule(_IPV4, "serving", *serving),
        _chain(_IPV4, "redirect", "nat", _PREROUTING, _NAT_PRIORITY, _ACCEPT),
        *(_rule(_IPV4, "redirect", *expressions) for expressions in redirects),
        _chain(_INET, "input", "filter", _INPUT, 0, _DROP),
        *(_rule(_INET, "input", *expressions) for expressions in inward),
        _chain(_INET, "forward", "filter", _FORWARD, 0, _DROP),
        _batch(_BATCH_END),
    ]


def limits() -> list[bytes]:
    """Who asks or connects too often is dropped before anything is remembered of it: what comes by a wire has the
    wire's address, or the kernel lets it not in."""
    asking = (*_protocol(socket.IPPROTO_UDP), *_port(53), *_more_often(ASKING), _verdict(_DROP))
    connecting = (*_protocol(socket.IPPROTO_TCP), *_opening(), *_more_often(CONNECTING), _verdict(_DROP))
    return [
        *(_set(_IPV4, each) for each in (ASKING, CONNECTING)),
        *(_rule(_IPV4, "served", *each) for each in (asking, connecting)),
    ]


def install() -> None:
    """Into the network namespace that this process is in; kernels that cannot count for each address do without.
    Raises OSError."""
    netlink = Netlink(_NETFILTER)
    try:
        netlink.say(*ruleset(limits()))
    except OSError as error:
        _log.warning("instances are not kept from asking and connecting too often: %s", error)
        netlink.say(*ruleset([]))
    finally:
        netlink.close()


def _batch(kind: int) -> bytes:
    return message(kind, struct.pack("!BBH", 0, 0, _SUBSYSTEM))


def _said(kind: int, family: int, body: bytes, flags: int = 0) -> bytes:
    return message(_SUBSYSTEM << 8 | kind, struct.pack("!BBH", family, 0, 0) + body, ACK | flags)


def _table(kind: int, family: int) -> bytes:
    return _said(kind, family, text(1, _TABLE), CREATE if kind == _NEW_TABLE else 0)


def _number(kind: int, value: int) -> bytes:
    return attribute(kind, struct.pack("!i", value))


def _long(kind: int, value: int) -> bytes:
    return attribute(kind, struct.pack("!Q", value))


def _chain(family: int, name: str, kind: str, hook: int, priority: int, policy: int) -> bytes:
    at = nest(4, _number(1, hook), _number(2, priority))
    return _said(_NEW_CHAIN, family, text(1, _TABLE) + text(3, name) + at + _number(5, policy) + text(7, kind), CREATE)


def _rule(family: int, chain: str, *expressions: Expression) -> bytes:
    listed = nest(4, *(attribute(1 | 0x8000, each) for each in expressions))
    return _said(_NEW_RULE, family, text(1, _TABLE) + text(2, chain) + listed, CREATE | _APPEND)


def _expression(name: str, *data: bytes) -> Expression:
    return text(1, name) + nest(2, *data)


def _equal(value: bytes) -> Expression:
    return _expression("cmp", _number(1, _REGISTER), _number(2, 0), nest(3, attribute(1, value)))


def _protocol(number: int) -> tuple[Expression, ...]:
    return (_expression("meta", _number(2, _META_PROTOCOL), _number(1, _REGISTER)), _equal(bytes([number])))


def _from_interface(index: int) -> tuple[Expression, ...]:
    meta = _expression("meta", _number(2, _META_INTERFACE_IN), _number(1, _REGISTER))
    return (meta, _equal(struct.pack("=I", index)))


def _payload(base: int, offset: int, length: int) -> Expression:
    return _expression("payload", _number(1, _REGISTER), _number(2, base), _number(3, offset), _number(4, length))


def _destination(address: str) -> tuple[Expression, ...]:
    return (_payload(_NETWORK_HEADER, 16, 4), _equal(socket.inet_aton(address)))


def _port(number: int) -> tuple[Expression, ...]:
    return (_payload(_TRANSPORT_HEADER, 2, 2), _equal(struct.pack("!H", number)))


def _source_port(number: int) -> tuple[Expression, ...]:
    return (_payload(_TRANSPORT_HEADER, 0, 2), _equal(struct.pack("!H", number)))


def _opening() -> tuple[Expression, ...]:
    """The first packet of a connection."""
    return (_payload(_TRANSPORT_HEADER, 13, 1), _masked(bytes([_SYN_OR_ACK])), _equal(bytes([_SYN])))


def _set(family: int, often: Often) -> bytes:
    flags = _number(3, _SET_WITH_TIMEOUT | _SET_OF_RULES)
    key = _number(4, _ADDRESS_TYPE) + _number(5, _ADDRESS_LENGTH)
    size = nest(9, _number(1, _MOST_ADDRESSES))
    named = text(1, _TABLE) + text(2, often.name) + _number(10, often.number)
    return _said(_NEW_SET, family, named + flags + key + size + _long(11, _REMEMBERED_MS), CREATE)


def _more_often(often: Often) -> tuple[Expression, ...]:
    """Than its sender may."""
    rate = (_long(1, often.per_second), _long(2, 1), _number(3, often.at_once), _number(5, _OVER))
    limit = nest(7, text(1, "limit"), nest(2, *rate))
    dynset = _expression(
        "dynset", text(1, often.name), _number(2, often.number), _number(3, _UPDATE), _number(4, _REGISTER), limit
    )
    return (_payload(_NETWORK_HEADER, 12, 4), dynset)


def _masked(mask: bytes) -> Expression:
    length = _number(3, len(mask))
    nothing = bytes(len(mask))
    both = (_number(1, _REGISTER), _number(2, _REGISTER), length)
    return _expression("bitwise", *both, nest(4, attribute(1, mask)), nest(5, attribute(1, nothing)))


def _known() -> tuple[Expression, ...]:
    state = _expression("ct", _number(1, _REGISTER), _number(2, _CT_STATE))
    mask, nothing = struct.pack("=I", _ESTABLISHED | _RELATED | _UNTRACKED), bytes(4)
    unequal = _expression("cmp", _number(1, _REGISTER), _number(2, 1), nest(3, attribute(1, nothing)))
    return (state, _masked(mask), unequal)


def _verdict(code: int) -> Expression:
    return _expression("immediate", _number(1, _VERDICT_REGISTER), nest(2, nest(2, _number(1, code))))


def _redirect(port: int) -> tuple[Expression, ...]:
    """To that port of the interface it came in by."""
    load = _expression("immediate", _number(1, _REGISTER), nest(2, attribute(1, struct.pack("!H", port))))
    return (load, _expression("redir", _number(1, _REGISTER)))
