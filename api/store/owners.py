"""The rows of an account's first owner."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import update
from sqlalchemy.orm import Session

from api.store import people
from api.store.tables import ApiKey, Membership, User


@dataclass(frozen=True)
class NewOwner:
    """What to write down if the account has no owner yet; ids and the key's hash are made by the caller."""

    user_id: str
    email: str
    name: str
    account_id: str
    key: ApiKey


def ensure(session: Session, new: NewOwner, now: datetime) -> tuple[str, bool]:
    """The owner's user id, and whether the key was written (a new owner's is, a known one's is not)."""
    known = people.owner_of(session, new.account_id)
    if known is not None:
        return known, False
    user = people.user_by_email(session, new.email)
    if user is None:
        user = User(id=new.user_id, email=new.email.lower(), name=new.name, created_at=now)
        session.add(user)
        session.flush()
    session.merge(Membership(user_id=user.id, account_id=new.account_id, role="owner", created_at=now))
    new.key.created_by = user.id
    session.add(new.key)
    return user.id, True


def replace_key(session: Session, key: ApiKey, now: datetime) -> bool:
    """End the owner's keys of this one's name in its account, and write it instead. False: there is no owner."""
    owner = people.owner_of(session, key.account_id)
    if owner is None:
        return False
    same = (ApiKey.account_id == key.account_id, ApiKey.created_by == owner, ApiKey.name == key.name)
    session.execute(update(ApiKey).where(*same, ApiKey.revoked_at.is_(None)).values(revoked_at=now))
    key.created_by = owner
    session.add(key)
    return True
