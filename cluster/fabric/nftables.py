"""The words of nftables that the fabric's rules are made of, as bytes (linux/netfilter/nf_tables.h)."""

import socket
import struct
from dataclasses import dataclass

from cluster.fabric.netlink import ACK, CREATE, attribute, message, nest, text

INET, IPV4 = 1, 2
BATCH_BEGIN, BATCH_END = 0x10, 0x11
NETFILTER = 12  # NETLINK_NETFILTER, which the socket module does not name
_SUBSYSTEM = 10
NEW_TABLE, DELETE_TABLE, _NEW_CHAIN, _NEW_RULE, _NEW_SET = 0, 2, 3, 6, 9
_APPEND = 0x800
DROP, ACCEPT = 0, 1
_VERDICT_REGISTER, _REGISTER = 0, 1
_TABLE = "setpoint"
PREROUTING, INPUT, FORWARD, OUTPUT = 0, 1, 2, 3
RAW_PRIORITY, NAT_PRIORITY = -300, -100
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


def batch(kind: int) -> bytes:
    return message(kind, struct.pack("!BBH", 0, 0, _SUBSYSTEM))


def _said(kind: int, family: int, body: bytes, flags: int = 0) -> bytes:
    return message(_SUBSYSTEM << 8 | kind, struct.pack("!BBH", family, 0, 0) + body, ACK | flags)


def table(kind: int, family: int) -> bytes:
    return _said(kind, family, text(1, _TABLE), CREATE if kind == NEW_TABLE else 0)


def _number(kind: int, value: int) -> bytes:
    return attribute(kind, struct.pack("!i", value))


def _long(kind: int, value: int) -> bytes:
    return attribute(kind, struct.pack("!Q", value))


def new_chain(family: int, name: str, kind: str, hook: int, priority: int, policy: int) -> bytes:
    at = nest(4, _number(1, hook), _number(2, priority))
    return _said(_NEW_CHAIN, family, text(1, _TABLE) + text(3, name) + at + _number(5, policy) + text(7, kind), CREATE)


def new_rule(family: int, chain: str, *expressions: Expression) -> bytes:
    listed = nest(4, *(attribute(1 | 0x8000, each) for each in expressions))
    return _said(_NEW_RULE, family, text(1, _TABLE) + text(2, chain) + listed, CREATE | _APPEND)


def expression(name: str, *data: bytes) -> Expression:
    return text(1, name) + nest(2, *data)


def _equal(value: bytes) -> Expression:
    return expression("cmp", _number(1, _REGISTER), _number(2, 0), nest(3, attribute(1, value)))


def protocol(number: int) -> tuple[Expression, ...]:
    return (expression("meta", _number(2, _META_PROTOCOL), _number(1, _REGISTER)), _equal(bytes([number])))


def from_interface(index: int) -> tuple[Expression, ...]:
    meta = expression("meta", _number(2, _META_INTERFACE_IN), _number(1, _REGISTER))
    return (meta, _equal(struct.pack("=I", index)))


def _payload(base: int, offset: int, length: int) -> Expression:
    return expression("payload", _number(1, _REGISTER), _number(2, base), _number(3, offset), _number(4, length))


def destination(address: str) -> tuple[Expression, ...]:
    return (_payload(_NETWORK_HEADER, 16, 4), _equal(socket.inet_aton(address)))


def port(number: int) -> tuple[Expression, ...]:
    return (_payload(_TRANSPORT_HEADER, 2, 2), _equal(struct.pack("!H", number)))


def source_port(number: int) -> tuple[Expression, ...]:
    return (_payload(_TRANSPORT_HEADER, 0, 2), _equal(struct.pack("!H", number)))


def opening() -> tuple[Expression, ...]:
    """The first packet of a connection."""
    return (_payload(_TRANSPORT_HEADER, 13, 1), _masked(bytes([_SYN_OR_ACK])), _equal(bytes([_SYN])))


def new_set(family: int, often: Often) -> bytes:
    flags = _number(3, _SET_WITH_TIMEOUT | _SET_OF_RULES)
    key = _number(4, _ADDRESS_TYPE) + _number(5, _ADDRESS_LENGTH)
    size = nest(9, _number(1, _MOST_ADDRESSES))
    named = text(1, _TABLE) + text(2, often.name) + _number(10, often.number)
    return _said(_NEW_SET, family, named + flags + key + size + _long(11, _REMEMBERED_MS), CREATE)


def more_often(often: Often) -> tuple[Expression, ...]:
    """Than its sender may."""
    rate = (_long(1, often.per_second), _long(2, 1), _number(3, often.at_once), _number(5, _OVER))
    limit = nest(7, text(1, "limit"), nest(2, *rate))
    dynset = expression(
        "dynset", text(1, often.name), _number(2, often.number), _number(3, _UPDATE), _number(4, _REGISTER), limit
    )
    return (_payload(_NETWORK_HEADER, 12, 4), dynset)


def _masked(mask: bytes) -> Expression:
    length = _number(3, len(mask))
    nothing = bytes(len(mask))
    both = (_number(1, _REGISTER), _number(2, _REGISTER), length)
    return expression("bitwise", *both, nest(4, attribute(1, mask)), nest(5, attribute(1, nothing)))


def known() -> tuple[Expression, ...]:
    state = expression("ct", _number(1, _REGISTER), _number(2, _CT_STATE))
    mask, nothing = struct.pack("=I", _ESTABLISHED | _RELATED | _UNTRACKED), bytes(4)
    unequal = expression("cmp", _number(1, _REGISTER), _number(2, 1), nest(3, attribute(1, nothing)))
    return (state, _masked(mask), unequal)


def verdict(code: int) -> Expression:
    return expression("immediate", _number(1, _VERDICT_REGISTER), nest(2, nest(2, _number(1, code))))


def redirect(port: int) -> tuple[Expression, ...]:
    """To that port of the interface it came in by."""
    load = expression("immediate", _number(1, _REGISTER), nest(2, attribute(1, struct.pack("!H", port))))
    return (load, expression("redir", _number(1, _REGISTER)))
