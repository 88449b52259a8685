"""Identifiers of rows: a prefix and a UUIDv7, so that they sort by birth."""

import secrets
import time
import uuid

from crds.names import record_id


def new_id(prefix: str) -> str:
    return record_id(prefix, str(_uuid7(time.time_ns() // 1_000_000, secrets.randbits(74))))


def _uuid7(milliseconds: int, random_bits: int) -> uuid.UUID:
    """RFC 9562, section 5.7: 48 bits of time, the version, 12 random bits, the variant, 62 random bits."""
    high = (milliseconds & (1 << 48) - 1) << 16 | 0x7000 | random_bits >> 62
    low = 0b10 << 62 | random_bits & (1 << 62) - 1
    return uuid.UUID(int=high << 64 | low)
