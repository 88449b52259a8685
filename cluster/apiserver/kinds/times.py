"""Timestamps as the API writes them."""

import re
import time
from datetime import UTC, datetime
from functools import lru_cache

MICRO = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$")


def now() -> str:
    """The present in whole seconds, UTC: 2024-05-01T10:00:00Z."""
    return at_second(int(time.time()))


@lru_cache(maxsize=4)
def at_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def now_micro() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse(text: str) -> datetime:
    """Raises ValueError for what is not RFC 3339."""
    return datetime.fromisoformat(text.upper().replace("Z", "+00:00")).astimezone(UTC)


def whole_seconds(text: str) -> str:
    return parse(text).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro(text: str) -> str:
    """A MicroTime in UTC; raises ValueError unless it has exactly six decimals."""
    if not MICRO.match(text):
        raise ValueError(text)
    return parse(text).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def age(text: str, moment: datetime | None = None) -> str:
    """How long ago, in kubectl's short form: 5s, 3m10s, 2h, 4d."""
    try:
        seconds = int(((moment or datetime.now(UTC)) - parse(text)).total_seconds())
    except ValueError:
        return "<invalid>"
    return duration(max(seconds, 0))


def duration(seconds: int) -> str:
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        rest = seconds % 60
        return f"{minutes}m{rest}s" if rest else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        rest = minutes % 60
        return f"{hours}h{rest}m" if rest else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        rest = hours % 24
        return f"{days}d{rest}h" if rest else f"{days}d"
    if days < 730:
        return f"{days}d"
    years = days // 365
    rest = days % 365
    return f"{years}y{rest}d" if rest and years < 8 else f"{years}y"
