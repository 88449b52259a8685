"""The first owner of a new installation."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime

from api.identity.ids import new_id
from api.identity.keys import new_key, new_row
from api.store import owners
from api.store.database import Database
from api.store.migrate import migrate


@dataclass(frozen=True)
class Owner:
    """`api_key`: the key's secret, only when it was made by this call; it cannot be read again."""

    user_id: str
    api_key: str | None = field(repr=False)


async def ensure_owner(
    store_url: str, *, handle: str, account_id: str, email: str, key_name: str = "first key"
) -> Owner:
    """The owner of the account; made, with one admin key, when the account has none yet.

    `account_id`: `record_id("acc", uid)` of the Account record, whose name `handle` is; the owner is called so until
    somebody says better. Safe to repeat; also creates the store."""
    await asyncio.to_thread(migrate, store_url)
    now = datetime.now(UTC)
    secret = new_key()
    user_id = new_id("usr")
    key = new_row(secret, account_id=account_id, user_id=user_id, name=key_name, scope="admin", now=now)
    new = owners.NewOwner(user_id, email, handle, account_id, key)
    database = Database(store_url)
    try:
        owner_id, is_new = await database.run(lambda connection: owners.ensure(connection, new, now))
    finally:
        await database.close()
    return Owner(owner_id, secret if is_new else None)


async def replace_owner_key(store_url: str, *, account_id: str, key_name: str = "first key") -> str | None:
    """A new admin key for the account's owner, for when the first one was lost before it was kept; keys of that name
    end. None when the account has no owner."""
    await asyncio.to_thread(migrate, store_url)
    now = datetime.now(UTC)
    secret = new_key()
    key = new_row(secret, account_id=account_id, user_id="", name=key_name, scope="admin", now=now)
    database = Database(store_url)
    try:
        replaced = await database.run(lambda connection: owners.replace_key(connection, key, now))
    finally:
        await database.close()
    return secret if replaced else None
