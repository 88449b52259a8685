"""Tokens of service accounts: signed by the server, good as long as their time and their account last."""

import hashlib
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from cluster.apiserver.access.identity import Identity, identity_of
from cluster.apiserver.storage.keys import load_or_make
from cluster.apiserver.types import Key

ISSUER = "https://kubernetes.default.svc"
USER = "system:serviceaccount"
GROUP = "system:serviceaccounts"
_ALGORITHM = "ES256"
_LEEWAY_SECONDS = 60
_KEPT = 10_000

UidOf = Callable[[Key], str | None]


class BadToken(Exception):
    """It names nobody; the message says why, and nothing of the token."""


class NotMeant(BadToken):
    """It names somebody, but not to those who ask."""

    def __init__(self, meant: list[str], asked: list[str]) -> None:
        of, target = (" ".join(f'"{audience}"' for audience in audiences) for audiences in (meant, asked))
        super().__init__(
            f"[invalid bearer token, token audiences [{of}] is invalid for the target audiences [{target}]]"
        )


@dataclass(frozen=True)
class Issued:
    token: str
    expires: int


@dataclass(frozen=True, slots=True)
class _Signed:
    """What a token of ours says."""

    identity: Identity
    account: Key
    audiences: list[str]
    begins: float
    expires: float


class ServiceAccounts:
    """`uid_of`: of the account there is now of this (namespace, name)."""

    def __init__(self, key: ec.EllipticCurvePrivateKey, uid_of: UidOf) -> None:
        self._key = key
        self._public = key.public_key()
        self._uid_of = uid_of
        # What a signature says does not change: only time and the account are looked at again.
        self._verified: dict[bytes, _Signed] = {}

    def issue(self, account: Key, uid: str, audiences: list[str], seconds: int) -> Issued:
        now = int(_now())
        namespace, name = account
        claims = {
            "aud": audiences,
            "exp": now + seconds,
            "iat": now,
            "nbf": now,
            "iss": ISSUER,
            "jti": str(uuid.uuid4()),
            "sub": f"{USER}:{namespace}:{name}",
            "kubernetes.io": {"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}},
        }
        return Issued(jwt.encode(claims, self._key, algorithm=_ALGORITHM), now + seconds)

    def identify(self, token: str, audiences: list[str]) -> tuple[Identity, list[str]]:
        """Whose it is, and for which of these audiences. Raises BadToken."""
        signed = self._signed(token)
        now = _now()
        if now > signed.expires + _LEEWAY_SECONDS:
            raise BadToken("the token has expired")
        if now < signed.begins - _LEEWAY_SECONDS:
            raise BadToken("the token is not valid yet")
        meant = [audience for audience in audiences if audience in signed.audiences]
        if not meant:
            raise NotMeant(signed.audiences, audiences)
        if self._uid_of(signed.account) != signed.identity.uid:
            raise BadToken("the service account is there no more")
        return signed.identity, meant

    def _signed(self, token: str) -> _Signed:
        digest = hashlib.sha256(token.encode()).digest()
        known = self._verified.get(digest)
        if known is None:
            if len(self._verified) >= _KEPT:
                self._verified.clear()
            known = self._verified[digest] = _signed(self._claims(token))
        return known

    def _claims(self, token: str) -> dict[str, Any]:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._public,
                algorithms=[_ALGORITHM],
                issuer=ISSUER,
                options={
                    "verify_aud": False,
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                    "require": ["aud", "exp", "nbf", "sub"],
                },
            )
        except jwt.PyJWTError as error:
            raise BadToken("invalid bearer token") from error
        return claims


def _signed(claims: dict[str, Any]) -> _Signed:
    of = claims["kubernetes.io"]
    namespace, account = of["namespace"], of["serviceaccount"]
    known = identity_of(claims["sub"], [GROUP, f"{GROUP}:{namespace}"])
    identity = Identity(known.user, known.groups, account["uid"], f"JTI={claims['jti']}")
    return _Signed(identity, (namespace, account["name"]), claims["aud"], claims["nbf"], claims["exp"])


def _now() -> float:
    return time.time()


def load_or_make_signing_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """Whoever has it is every service account."""
    key = serialization.load_pem_private_key(load_or_make(path, _new_key), None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ValueError(f"{path} must hold an elliptic curve key")
    return key


def _new_key() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
