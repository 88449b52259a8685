"""The token file: SHA-256 of a token to whom it names, read again when it changes."""

import hashlib
from pathlib import Path

import orjson

from cluster.apiserver.access.identity import Identity, identity_of


class TokenFile:
    """`{"tokens": {sha256 hex: {"user", "groups"}}}`, as the real server's static tokens."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = (0, 0)
        self._tokens: dict[str, Identity] = {}
        self.reload()

    def reload(self) -> None:
        """Read the file. A file that is broken raises at the first read and is ignored (the old one stays) later."""
        stat = self._path.stat()
        raw = orjson.loads(self._path.read_bytes())
        self._tokens = {
            digest.lower(): identity_of(entry["user"], entry.get("groups") or [])
            for digest, entry in (raw.get("tokens") or {}).items()
        }
        self._stamp = (stat.st_mtime_ns, stat.st_ino)

    def refresh(self) -> bool:
        """Read the file again if it has changed; says whether it did."""
        try:
            stat = self._path.stat()
            if (stat.st_mtime_ns, stat.st_ino) == self._stamp:
                return False
            self.reload()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return False
        return True

    def identify(self, token: str) -> Identity | None:
        """Whose token this is; one that is not known may be newer than what was read."""
        found = self._lookup(token)
        if found is None and self.refresh():
            found = self._lookup(token)
        return found

    def _lookup(self, token: str) -> Identity | None:
        # By the digest: how long a look takes tells of that at most, of which nobody can choose a part.
        return self._tokens.get(hashlib.sha256(token.encode()).hexdigest())
