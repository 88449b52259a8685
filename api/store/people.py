"""Queries about people, their roles and their keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from api.store.tables import ApiKey, Membership, User


@dataclass(frozen=True)
class KeyRow:
    """A key that is in force, and the roles of the person it acts as: account id -> role."""

    id: str
    hash: bytes
    account_id: str
    user_id: str
    scope: str
    expires_at: datetime | None
    roles: Mapping[str, str]


def keys_with_prefix(session: Session, prefix: str) -> list[KeyRow]:
    """Those not revoked. Almost always none or one."""
    found = session.scalars(select(ApiKey).where(ApiKey.prefix == prefix, ApiKey.revoked_at.is_(None))).all()
    return [
        KeyRow(
            key.id,
            key.hash,
            key.account_id,
            key.created_by,
            key.scope,
            key.expires_at,
            roles_of(session, key.created_by),
        )
        for key in found
    ]


def roles_of(session: Session, user_id: str) -> dict[str, str]:
    rows = session.execute(select(Membership.account_id, Membership.role).where(Membership.user_id == user_id))
    return {row.account_id: row.role for row in rows}


def has_users(session: Session) -> bool:
    return bool(session.scalar(select(func.count()).select_from(User)))


def user_by_email(session: Session, email: str) -> User | None:
    return session.scalar(select(User).where(User.email == email.lower()))


def owner_of(session: Session, account_id: str) -> str | None:
    """The id of the account's first owner."""
    query = select(Membership.user_id).where(Membership.account_id == account_id, Membership.role == "owner")
    return session.scalar(query.order_by(Membership.created_at).limit(1))


def note_use(session: Session, used: Mapping[str, datetime]) -> None:
    """Key id -> when it was last used."""
    for key_id, at in used.items():
        session.execute(update(ApiKey).where(ApiKey.id == key_id).values(last_used_at=at))


def revoke(session: Session, key_id: str, at: datetime) -> bool:
    """Whether there was a key in force to revoke."""
    in_force = update(ApiKey).where(ApiKey.id == key_id, ApiKey.revoked_at.is_(None))
    return session.execute(in_force.values(revoked_at=at).returning(ApiKey.id)).first() is not None
