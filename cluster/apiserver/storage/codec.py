"""Encryption of what must not be readable on disk: AES-256-GCM under a key file of mode 0600."""

import os
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from cluster.apiserver.storage.keys import load_or_make

NONCE_BYTES = 12
SEALED = b"\x01"
PLAIN = b"{"


class SecretsCodec:
    """Seals the bodies of some resources; the others pass through."""

    def __init__(self, key: bytes, resources: frozenset[str]) -> None:
        self._cipher = AESGCM(key)
        self._resources = resources

    def seal(self, resource: str, namespace: str, name: str, body: bytes) -> bytes:
        if resource not in self._resources:
            return body
        nonce = os.urandom(NONCE_BYTES)
        return SEALED + nonce + self._cipher.encrypt(nonce, body, _context(resource, namespace, name))

    def open(self, resource: str, namespace: str, name: str, stored: bytes) -> bytes:
        """Raises `cryptography.exceptions.InvalidTag` when the key or the row is not the one it was sealed with."""
        if stored[:1] != SEALED:
            return stored
        nonce, sealed = stored[1 : 1 + NONCE_BYTES], stored[1 + NONCE_BYTES :]
        return self._cipher.decrypt(nonce, sealed, _context(resource, namespace, name))


def _context(resource: str, namespace: str, name: str) -> bytes:
    """Bound into the seal, so that a row cannot be moved to another object's place."""
    return f"{resource}/{namespace}/{name}".encode()


def load_or_make_key(path: Path) -> bytes:
    return load_or_make(path, lambda: AESGCM.generate_key(bit_length=256))
