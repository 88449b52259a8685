"""String formats that are checked; others are only documentation."""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from datetime import date
from urllib.parse import urlsplit

from cluster.apiserver.schema.patterns import Pattern

DATE_TIME = re.compile(r"^\d{4}-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$")
UUID = re.compile(r"^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$", re.IGNORECASE)
EMAIL = Pattern(r"^[^@\s]+@[^@\s]+$")
HOSTNAME = Pattern(r"^([a-zA-Z0-9_]([a-zA-Z0-9_-]{0,62})\.?)+$")
DURATION = Pattern(r"^([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$|^0$")

INTEGER_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


def is_date_time(text: str) -> bool:
    match = DATE_TIME.match(text)
    if match is None or not is_date(text[:10]):
        return False
    hour, minute, second = (int(match.group(n)) for n in (3, 4, 5))
    return hour < 24 and minute < 60 and second < 60


def is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == 10


def is_byte(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_address(version: int) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            return ipaddress.ip_address(text).version == version
        except ValueError:
            return False

    return check


def is_cidr(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return "/" in text


def is_uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme)


CHECKS: dict[str, Callable[[str], bool]] = {
    "date-time": is_date_time,
    "date": is_date,
    "byte": is_byte,
    "ipv4": _is_address(4),
    "ipv6": _is_address(6),
    "cidr": is_cidr,
    "uri": is_uri,
    "uuid": lambda text: UUID.match(text) is not None,
    "email": EMAIL.matches,
    "hostname": lambda text: len(text) <= 253 and HOSTNAME.matches(text),
    "duration": DURATION.matches,
}
