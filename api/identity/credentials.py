"""From a bearer key to a credential. The keys in use are held in memory, so a request costs no SQL."""

import asyncio
import hmac
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from api.identity.keys import digest, lookup_prefix, well_formed
from api.identity.scopes import LADDER, Scope
from api.problems import Problem
from api.store import people
from api.store.database import Database

_log = logging.getLogger(__name__)
# Another replica may have revoked a key or changed a role: believe what is in memory for so long.
_TRUST = timedelta(seconds=30)
_MOST_HELD = 10_000
_NOTE_EVERY = 60.0


@dataclass(frozen=True)
class Credential:
    """A key in force. It acts as `user_id` in the account `account_id`, at most with `scope`."""

    id: str
    user_id: str
    account_id: str
    scope: Scope
    roles: Mapping[str, str]
    expires_at: datetime | None = None


@dataclass(frozen=True)
class _Held:
    credential: Credential
    until: datetime


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Credentials:
    """Looks keys up and remembers them; `forget` ends a key at once in this process, the store in all others."""

    def __init__(self, database: Database, now: Callable[[], datetime] = _utc_now):
        self._database = database
        self._now = now
        self._held: dict[bytes, _Held] = {}
        self._used: dict[str, datetime] = {}

    def remembered(self, key: str) -> Credential | None:
        """The credential when it is in memory: the path of almost every request."""
        held = self._held.get(digest(key))
        if held is None:
            return None
        now = self._now()
        if held.until <= now:
            return None
        self._used[held.credential.id] = now
        return held.credential

    async def look_up(self, key: str) -> Credential | None:
        """The credential of a key, from the store; None when it is none, unknown, revoked or expired."""
        if not well_formed(key):
            return None
        hashed = digest(key)
        self._held.pop(hashed, None)
        prefix = lookup_prefix(key)
        rows = await self._database.run(lambda connection: people.keys_with_prefix(connection, prefix))
        row = next((row for row in rows if hmac.compare_digest(row.hash, hashed)), None)
        now = self._now()
        if row is None or (row.expires_at is not None and row.expires_at <= now) or row.scope not in LADDER:
            return None
        credential = Credential(row.id, row.user_id, row.account_id, row.scope, row.roles, row.expires_at)
        self._hold(hashed, credential, now)
        return credential

    def _hold(self, hashed: bytes, credential: Credential, now: datetime) -> None:
        if len(self._held) >= _MOST_HELD:
            self._held.clear()
        until = now + _TRUST
        if credential.expires_at is not None:
            until = min(until, credential.expires_at)
        self._held[hashed] = _Held(credential, until)
        self._used[credential.id] = now

    async def revoke(self, key_id: str) -> bool:
        """End a key; whether it was in force."""
        now = self._now()
        ended = await self._database.run(lambda connection: people.revoke(connection, key_id, now))
        self.forget(lambda credential: credential.id == key_id)
        return ended

    def forget(self, whom: Callable[[Credential], bool]) -> None:
        """Drop from memory what changed: a key that was revoked, a person whose roles moved."""
        self._held = {hashed: held for hashed, held in self._held.items() if not whom(held.credential)}

    async def note_uses(self) -> None:
        """Write down when keys were last used, now and then; never returns."""
        while True:
            await asyncio.sleep(_NOTE_EVERY)
            try:
                await self.note_uses_now()
            except Problem as problem:
                _log.warning("last use of keys not written: %s", problem)

    async def note_uses_now(self) -> None:
        used, self._used = self._used, {}
        if used:
            await self._database.run(lambda connection: people.note_use(connection, used))
