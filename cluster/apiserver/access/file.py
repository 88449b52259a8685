"""The access file: tokens (as SHA-256) and rules, read again when it changes."""

import hashlib
from pathlib import Path

import orjson

from cluster.apiserver.access.identity import Identity, identity_of
from cluster.apiserver.access.rules import Attributes, Rules


class Access:
    """Tokens to identities, identities to permissions."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = (0, 0)
        self._tokens: dict[str, Identity] = {}
        self._rules = Rules({})
        self.reload()

    def reload(self) -> None:
        """Read the file. A file that is broken raises at the first read and is ignored (the old one stays) later."""
        stat = self._path.stat()
        raw = orjson.loads(self._path.read_bytes())
        tokens = {
            digest.lower(): identity_of(entry["user"], entry.get("groups") or [])
            for digest, entry in (raw.get("tokens") or {}).items()
        }
        rules = Rules(raw.get("roles") or {})
        self._tokens, self._rules, self._stamp = tokens, rules, (stat.st_mtime_ns, stat.st_ino)

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
        """Whose token this is; a token that is not known may be newer than what was read."""
        found = self._lookup(token)
        if found is None and self.refresh():
            found = self._lookup(token)
        return found

    def allows(self, identity: Identity, wanted: Attributes) -> bool:
        return self._rules.allows(identity, wanted)

    def _lookup(self, token: str) -> Identity | None:
        # By the digest: how long a look takes tells of that at most, of which nobody can choose a part.
        return self._tokens.get(hashlib.sha256(token.encode()).hexdigest())
