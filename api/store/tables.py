"""The tables, as SQLAlchemy models."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, ForeignKey, Index, LargeBinary, MetaData, String, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: stored as UTC without a zone (SQLite keeps none), read back with it."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 (SQLAlchemy's signature)
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 (SQLAlchemy's signature)
        return None if value is None else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class User(Base):
    """A person. `email` is kept in lower case."""

    __tablename__ = "users"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    email: Mapped[str] = mapped_column(String(320), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Membership(Base):
    """A person's role in an account (named by the id of the Account record)."""

    __tablename__ = "memberships"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[str] = mapped_column(String(32), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ApiKey(Base):
    """A key acts as the person who made it, in one account. Of the secret only its SHA-256 is here."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    account_id: Mapped[str] = mapped_column(String(32), index=True)
    created_by: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(200))
    scope: Mapped[str] = mapped_column(String(10))
    prefix: Mapped[str] = mapped_column(String(16), index=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    last_used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class KeptAnswer(Base):
    """The first answer to a request with an Idempotency-Key. `sealed` opens only with the client's header."""

    __tablename__ = "kept_answers"

    lookup: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary(32))
    salt: Mapped[bytes] = mapped_column(LargeBinary(16))
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class Delivery(Base):
    """A webhook delivery that was taken: by its id, or by its body together with the branch's head."""

    __tablename__ = "webhook_deliveries"

    token: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (Index(None, "seen_at"),)
