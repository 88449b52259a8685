"""What there is to say to control groups of whichever version, and what is there where there are none."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from cluster.limits.allowance import Allowance

Sessions = Mapping[int, int]
"""Those that a sandbox's processes are in now, each with one process of it."""


class Group(Protocol):
    """Of one sandbox."""

    def join(self, pid: int) -> None:
        """This process, and all that it starts from now on. Raises OSError."""
        ...

    def ran_out(self) -> bool:
        """Did the kernel end something in it for want of memory?"""
        ...

    def give_way(self, sessions: Sessions, /) -> bool:
        """From now on it runs when nobody else wants to. False: the kernel cannot. Raises OSError."""
        ...

    def take_part(self, allowance: Allowance, sessions: Sessions, /) -> None:
        """From now on it has the share of this allowance again. Raises OSError."""
        ...

    def scattered(self, sessions: Sessions, /) -> bool:
        """Does it have the share of many, so that it must end where it computes all the time?"""
        ...

    def memory_bytes(self) -> int | None:
        """What is in use, without what the kernel keeps only because there is room; None: nobody counts."""
        ...

    def remove(self) -> bool:
        """Once nothing runs in it; it may be gone already. False: the kernel does not let it go yet."""
        ...


class Groups(Protocol):
    """Of one node."""

    @property
    def kind(self) -> str:
        """`cgroup1`, `cgroup2`, or `none`."""
        ...

    @property
    def reason(self) -> str:
        """Why there are none."""
        ...

    @property
    def remedy(self) -> str:
        """The one line that would give us some; empty: none is needed or known."""
        ...

    def make(self, name: str, allowance: Allowance) -> Group:
        """Or find the one that there is, with this allowance. Raises OSError."""
        ...

    def of(self, name: str) -> Group:
        """The one that an earlier agent made."""
        ...

    def sweep(self, kept: Iterable[str]) -> None:
        """Remove those of other names in which nothing runs."""
        ...

    def close(self) -> None:
        """Remove all in which nothing runs."""
        ...


class NoGroup:
    """Nothing is counted and nothing is kept."""

    def join(self, pid: int) -> None:
        return

    def ran_out(self) -> bool:
        return False

    def give_way(self, sessions: Sessions, /) -> bool:
        return False

    def take_part(self, allowance: Allowance, sessions: Sessions, /) -> None:
        return

    def scattered(self, sessions: Sessions, /) -> bool:
        return False

    def memory_bytes(self) -> int | None:
        return None

    def remove(self) -> bool:
        return True


class NoGroups:
    """What is left are limits of processes, and looking."""

    kind = "none"

    def __init__(self, reason: str = "", remedy: str = ""):
        self.reason = reason
        self.remedy = remedy

    def make(self, name: str, allowance: Allowance) -> Group:
        return NoGroup()

    def of(self, name: str) -> Group:
        return NoGroup()

    def sweep(self, kept: Iterable[str]) -> None:
        return

    def close(self) -> None:
        return
