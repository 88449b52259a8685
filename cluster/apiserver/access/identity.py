"""Who a request comes from."""

from dataclasses import dataclass

MASTERS = "system:masters"
AUTHENTICATED = "system:authenticated"


@dataclass(frozen=True, slots=True)
class Identity:
    user: str
    groups: tuple[str, ...] = ()

    @property
    def anonymous(self) -> bool:
        return self.user == "system:anonymous"


ANONYMOUS = Identity("system:anonymous", ("system:unauthenticated",))


def identity_of(user: str, groups: list[str]) -> Identity:
    return Identity(user, tuple(dict.fromkeys([*groups, AUTHENTICATED])))
