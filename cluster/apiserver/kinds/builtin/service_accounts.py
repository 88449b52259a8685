"""ServiceAccount: a name to act under."""

from cluster.apiserver.kinds.builtin.core import BuiltIn


class ServiceAccountStrategy(BuiltIn):
    """What it refers to (secrets to mount, secrets to pull with) is of no use to those who do not run pods."""

    returns_deleted = True
