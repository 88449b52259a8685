"""Who a request comes from."""

from dataclasses import dataclass
from typing import Any

MASTERS = "system:masters"
AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"


@dataclass(frozen=True, slots=True)
class Identity:
    """`uid` and `credential` (which token it was) are known of service accounts alone."""

    user: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    credential: str = ""

    def wire(self) -> dict[str, Any]:
        """As reviews tell it."""
        told: dict[str, Any] = {"username": self.user, "uid": self.uid, "groups": list(self.groups)}
        if self.credential:
            told["extra"] = {"authentication.kubernetes.io/credential-id": [self.credential]}
        return {name: value for name, value in told.items() if value}


ANONYMOUS = Identity("system:anonymous", (UNAUTHENTICATED,))


def identity_of(user: str, groups: list[str]) -> Identity:
    return Identity(user, tuple(dict.fromkeys([*groups, AUTHENTICATED])))
