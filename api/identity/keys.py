"""The form of an API key: `sk_`, 32 random bytes as 43 URL-safe characters, and 6 characters of checksum.

The checksum lets a scanner tell a key from noise, and spares the store a look-up for what cannot be one."""

import base64
import hashlib
import secrets
import zlib
from datetime import datetime

from api.identity.ids import new_id
from api.store.rows import NewKey

PREFIX = "sk_"
_RANDOM_LENGTH = 43
_CHECKSUM_LENGTH = 6
KEY_LENGTH = len(PREFIX) + _RANDOM_LENGTH + _CHECKSUM_LENGTH
_LOOKUP_LENGTH = len(PREFIX) + 8
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def new_key() -> str:
    body = PREFIX + base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    return body + _checksum(body)


def well_formed(key: str) -> bool:
    if len(key) != KEY_LENGTH or not key.startswith(PREFIX) or not key.isascii():
        return False
    return key[-_CHECKSUM_LENGTH:] == _checksum(key[:-_CHECKSUM_LENGTH])


def lookup_prefix(key: str) -> str:
    """The part that may be shown and indexed: 48 bits of the key, which leaves 208."""
    return key[:_LOOKUP_LENGTH]


def digest(key: str) -> bytes:
    # A key is 256 random bits, so a plain hash is enough: there is nothing to guess.
    return hashlib.sha256(key.encode()).digest()


def new_row(key: str, *, account_id: str, user_id: str, name: str, scope: str, now: datetime) -> NewKey:
    """What is kept of a new key: everything but the key."""
    return NewKey(
        id=new_id("key"),
        account_id=account_id,
        created_by=user_id,
        name=name,
        scope=scope,
        prefix=lookup_prefix(key),
        hash=digest(key),
        created_at=now,
    )


def _checksum(body: str) -> str:
    number = zlib.crc32(body.encode())
    digits = ""
    for _ in range(_CHECKSUM_LENGTH):
        number, rest = divmod(number, len(_DIGITS))
        digits = _DIGITS[rest] + digits
    return digits
