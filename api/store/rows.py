"""What is written into the tables, and read from them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Row:
    def values(self) -> dict[str, Any]:
        """By column."""
        return asdict(self)


@dataclass(frozen=True)
class User(Row):
    id: str
    email: str
    name: str
    created_at: datetime


@dataclass(frozen=True)
class Membership(Row):
    user_id: str
    account_id: str
    role: str
    created_at: datetime


@dataclass(frozen=True)
class NewKey(Row):
    """A key as it is made; `hash` is the SHA-256 of the secret."""

    id: str
    account_id: str
    created_by: str
    name: str
    scope: str
    prefix: str
    hash: bytes
    created_at: datetime


@dataclass(frozen=True)
class KeyInForce:
    """A key that was not revoked, and the roles of the person it acts as: account id -> role."""

    id: str
    hash: bytes
    account_id: str
    user_id: str
    scope: str
    expires_at: datetime | None
    roles: Mapping[str, str]


@dataclass(frozen=True)
class KeptAnswer(Row):
    lookup: bytes
    fingerprint: bytes
    salt: bytes
    sealed: bytes
    created_at: datetime
