"""The tables, as SQLAlchemy Core knows them: its ORM would cost seven megabytes of memory and serve no query here."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    LargeBinary,
    MetaData,
    String,
    Table,
    TypeDecorator,
)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: stored as UTC without a zone (SQLite keeps none), read back with it."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 (SQLAlchemy's signature)
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 (SQLAlchemy's signature)
        return None if value is None else value.replace(tzinfo=UTC)


METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# People. `email` is kept in lower case.
users = Table(
    "users",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("email", String(320), unique=True, nullable=False),
    Column("name", String(200), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

# A person's role in an account (named by the id of the Account record).
memberships = Table(
    "memberships",
    METADATA,
    Column("user_id", ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
    Column("account_id", String(32), primary_key=True, index=True),
    Column("role", String(20), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

# A key acts as the person who made it, in one account. Of the secret only its SHA-256 is here.
api_keys = Table(
    "api_keys",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("account_id", String(32), index=True, nullable=False),
    Column("created_by", ForeignKey("users.id", ondelete="CASCADE"), index=True, nullable=False),
    Column("name", String(200), nullable=False),
    Column("scope", String(10), nullable=False),
    Column("prefix", String(16), index=True, nullable=False),
    Column("hash", LargeBinary(32), unique=True, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
    Column("last_used_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
)

# The first answer to a request with an Idempotency-Key. `sealed` opens only with the client's header.
kept_answers = Table(
    "kept_answers",
    METADATA,
    Column("lookup", LargeBinary(32), primary_key=True),
    Column("fingerprint", LargeBinary(32), nullable=False),
    Column("salt", LargeBinary(16), nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("created_at", UtcDateTime, index=True, nullable=False),
)

# A webhook delivery that was taken: by its id, or by its body together with the branch's head.
webhook_deliveries = Table(
    "webhook_deliveries",
    METADATA,
    Column("token", LargeBinary(32), primary_key=True),
    Column("seen_at", UtcDateTime, index=True, nullable=False),
)
