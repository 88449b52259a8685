"""Idempotency-Key: the first answer to a POST is kept for a day, and given again to a repeat.

What is kept is sealed (AES-GCM) under a key that is derived from the client's header: an answer may hold a secret, and
the store alone must not yield it."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from api.http.reply import Reply
from api.problems import Problem, invalid
from api.store import answers
from api.store.database import Database
from api.store.rows import KeptAnswer

KEPT_FOR = timedelta(hours=24)
_LONGEST_KEY = 255
_NONCE = bytes(12)  # each answer has a key of its own (a random salt), so one nonce serves


@dataclass
class _Turn:
    """Requests with one key go one after the other."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class KeptAnswers:
    def __init__(self, database: Database, now: Callable[[], datetime]):
        self._database = database
        self._now = now
        self._running: dict[bytes, _Turn] = {}

    async def once(self, credential: str, key: str, request: bytes, answer: Callable[[], Awaitable[Reply]]) -> Reply:
        """The kept answer to this request, or that of `answer`, kept when it is a success.

        `request`: method, path and body. The same key with another one is 409; a twin in flight waits."""
        if not (key.isascii() and key.isprintable() and len(key) <= _LONGEST_KEY):
            raise invalid("Idempotency-Key", f"must be 1 to {_LONGEST_KEY} printable ASCII characters")
        lookup = _hash(b"lookup", credential.encode(), key.encode())
        fingerprint = _hash(b"request", credential.encode(), request)
        async with self._alone(lookup):
            kept = await self._database.run(lambda c: answers.find(c, lookup, self._now() - KEPT_FOR))
            if kept is not None:
                return _unseal(kept, key, fingerprint)
            reply = await answer()
            if reply.status < 300:
                await self._keep(lookup, fingerprint, key, reply)
            return reply

    @asynccontextmanager
    async def _alone(self, lookup: bytes) -> AsyncIterator[None]:
        turn = self._running.setdefault(lookup, _Turn())
        turn.users += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.users -= 1
            if not turn.users:
                self._running.pop(lookup, None)

    async def _keep(self, lookup: bytes, fingerprint: bytes, key: str, reply: Reply) -> None:
        salt = secrets.token_bytes(16)
        headers = [[name.decode(), value.decode()] for name, value in reply.headers]
        plain = orjson.dumps({"status": reply.status, "headers": headers, "body": reply.body.decode()})
        sealed = AESGCM(_key(key, salt)).encrypt(_NONCE, plain, fingerprint)
        now = self._now()
        row = KeptAnswer(lookup=lookup, fingerprint=fingerprint, salt=salt, sealed=sealed, created_at=now)
        await self._database.run(lambda connection: answers.keep(connection, row, now - KEPT_FOR))


def _unseal(kept: KeptAnswer, key: str, fingerprint: bytes) -> Reply:
    if not secrets.compare_digest(kept.fingerprint, fingerprint):
        raise Problem(
            "idempotency_conflict",
            "This Idempotency-Key came before with another request. Use a new key for a new request.",
        )
    try:
        plain = orjson.loads(AESGCM(_key(key, kept.salt)).decrypt(_NONCE, kept.sealed, fingerprint))
    except InvalidTag:
        raise Problem("idempotency_conflict", "The kept answer cannot be read. Use a new Idempotency-Key.") from None
    headers = [(name.encode(), value.encode()) for name, value in plain["headers"]]
    return Reply(plain["status"], plain["body"].encode(), headers)


def _key(header: str, salt: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=b"setpoint kept answer").derive(header.encode())


def _hash(*parts: bytes) -> bytes:
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(len(part).to_bytes(8, "big") + part)
    return hasher.digest()
