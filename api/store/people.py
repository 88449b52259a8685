"""Queries about people, their roles and their keys."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from api.store.rows import KeyInForce, Membership, NewKey, User
from api.store.tables import api_keys, memberships, users


def keys_with_prefix(connection: Connection, prefix: str) -> list[KeyInForce]:
    """Those not revoked. Almost always none or one."""
    query = select(api_keys).where(api_keys.c.prefix == prefix, api_keys.c.revoked_at.is_(None))
    return [
        KeyInForce(
            key.id,
            key.hash,
            key.account_id,
            key.created_by,
            key.scope,
            key.expires_at,
            roles_of(connection, key.created_by),
        )
        for key in connection.execute(query).all()
    ]


def roles_of(connection: Connection, user_id: str) -> dict[str, str]:
    query = select(memberships.c.account_id, memberships.c.role).where(memberships.c.user_id == user_id)
    return {row.account_id: row.role for row in connection.execute(query)}


def has_users(connection: Connection) -> bool:
    return bool(connection.scalar(select(func.count()).select_from(users)))


def user_by_email(connection: Connection, email: str) -> User | None:
    row = connection.execute(select(users).where(users.c.email == email.lower())).first()
    return User(**row._mapping) if row is not None else None


def owner_of(connection: Connection, account_id: str) -> str | None:
    """The id of the account's first owner."""
    query = select(memberships.c.user_id).where(memberships.c.account_id == account_id, memberships.c.role == "owner")
    return connection.scalar(query.order_by(memberships.c.created_at).limit(1))


def add_user(connection: Connection, user: User) -> None:
    connection.execute(insert(users), user.values())


def add_member(connection: Connection, membership: Membership) -> None:
    connection.execute(insert(memberships), membership.values())


def add_key(connection: Connection, key: NewKey) -> None:
    connection.execute(insert(api_keys), key.values())


def note_use(connection: Connection, used: Mapping[str, datetime]) -> None:
    """Key id -> when it was last used."""
    for key_id, at in used.items():
        connection.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=at))


def revoke(connection: Connection, key_id: str, at: datetime) -> bool:
    """Whether there was a key in force to revoke."""
    in_force = update(api_keys).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
    return connection.execute(in_force.values(revoked_at=at).returning(api_keys.c.id)).first() is not None
