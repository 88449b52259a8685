"""The rows of an account's first owner."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, delete, update

from api.store import people
from api.store.rows import Membership, NewKey, User
from api.store.tables import api_keys, memberships


@dataclass(frozen=True)
class NewOwner:
    """What to write down if the account has no owner yet; ids and the key's hash are made by the caller."""

    user_id: str
    email: str
    name: str
    account_id: str
    key: NewKey


def ensure(connection: Connection, new: NewOwner, now: datetime) -> tuple[str, bool]:
    """The owner's user id, and whether the key was written (a new owner's is, a known one's is not)."""
    known = people.owner_of(connection, new.account_id)
    if known is not None:
        return known, False
    user = people.user_by_email(connection, new.email)
    if user is None:
        user = User(id=new.user_id, email=new.email.lower(), name=new.name, created_at=now)
        people.add_user(connection, user)
    _make_owner(connection, user.id, new.account_id, now)
    people.add_key(connection, replace(new.key, created_by=user.id))
    return user.id, True


def _make_owner(connection: Connection, user_id: str, account_id: str, now: datetime) -> None:
    """Whatever role the person had there."""
    same = (memberships.c.user_id == user_id, memberships.c.account_id == account_id)
    connection.execute(delete(memberships).where(*same))
    people.add_member(connection, Membership(user_id, account_id, "owner", now))


def replace_key(connection: Connection, key: NewKey, now: datetime) -> bool:
    """End the owner's keys of this one's name in its account, and write it instead. False: there is no owner."""
    owner = people.owner_of(connection, key.account_id)
    if owner is None:
        return False
    same = (api_keys.c.account_id == key.account_id, api_keys.c.created_by == owner, api_keys.c.name == key.name)
    connection.execute(update(api_keys).where(*same, api_keys.c.revoked_at.is_(None)).values(revoked_at=now))
    people.add_key(connection, replace(key, created_by=owner))
    return True
