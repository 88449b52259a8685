"""Scopes are a ladder (admin includes deploy includes read), and a role stands on one of its rungs."""

from collections.abc import Mapping, Sequence
from typing import Literal

Scope = Literal["read", "deploy", "admin"]
Role = Literal["owner", "admin", "developer", "viewer"]

LADDER: tuple[Scope, ...] = ("read", "deploy", "admin")
_SCOPE_OF_ROLE: dict[str, Scope] = {"owner": "admin", "admin": "admin", "developer": "deploy", "viewer": "read"}


def includes(held: Scope, needed: Scope) -> bool:
    return LADDER.index(held) >= LADDER.index(needed)


def smaller(one: Scope, other: Scope) -> Scope:
    return one if includes(other, one) else other


def scope_in(chain: Sequence[str], roles: Mapping[str, str]) -> Scope | None:
    """What somebody with these roles (account id -> role) may in the account that `chain` begins with.

    `chain`: its id, its parent's, and so on. Only owners and admins of a parent have their role below it."""
    best: Scope | None = None
    for depth, account_id in enumerate(chain):
        scope = _SCOPE_OF_ROLE.get(roles.get(account_id, ""))
        if scope is None or (depth and scope != "admin"):
            continue
        if best is None or includes(scope, best):
            best = scope
    return best
