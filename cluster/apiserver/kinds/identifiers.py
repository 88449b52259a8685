"""What the server makes up itself: uids and the ends of generated names."""

import os
import secrets

POOL_BYTES = 4096
NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
MAX_PREFIX = 248


class _Pool:
    """Random bytes read in large pieces: a system call for each object is the dearest part of a uid."""

    def __init__(self) -> None:
        self._bytes = b""
        self._position = 0

    def take(self, count: int) -> bytes:
        if self._position + count > len(self._bytes):
            self._bytes, self._position = os.urandom(POOL_BYTES), 0
        self._position += count
        return self._bytes[self._position - count : self._position]

    def drop(self) -> None:
        """A forked child must not hand out what its parent does."""
        self._bytes = b""


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.drop)


def new_uid() -> str:
    """A random UUID, version 4."""
    text = _pool.take(16).hex()
    variant = "89ab"[int(text[16], 16) & 3]
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"


def generated_name(prefix: str) -> str:
    return prefix[:MAX_PREFIX] + "".join(secrets.choice(NAME_LETTERS) for _ in range(5))
