"""What an instance is held back for while it runs on. Pure."""

from collections.abc import Collection
from dataclasses import dataclass

from cluster.egress.files import CONNECTIONS as MOST_CONNECTIONS
from cluster.lasting import Lasting
from cluster.node.restart import Cause


@dataclass(frozen=True)
class Kind:
    """`after`: seconds that it goes on before it is said."""

    cause: Cause
    after: float


PROCESSES = Kind(
    Cause("TooManyProcesses", "It has as many processes and threads as it may have: it cannot start more."), 3.0
)
CONNECTIONS = Kind(
    Cause(
        "TooManyConnections", f"It has as many connections to others open as it may ({MOST_CONNECTIONS}): more fail."
    ),
    3.0,
)
OUTPUT = Kind(Cause("TooMuchOutput", "It writes more output than can be kept: what is too much is dropped."), 3.0)
CPU = Kind(Cause("GivesWay", "It computes all the time: it runs while nobody else wants the CPU."), 20.0)
SHARED_CPU = Kind(Cause("TooMuchCPU", "It computes all the time, and nothing here makes it give way to others."), 20.0)
_WORST_FIRST = (PROCESSES, CONNECTIONS, OUTPUT, CPU, SHARED_CPU)


class Strain:
    """Of one run, in seconds of any clock."""

    def __init__(self) -> None:
        self._lasting = Lasting[Kind](lambda kind: kind.after)

    def look(self, signs: Collection[Kind], now: float) -> Cause | None:
        """What is to be said of it after this look."""
        lasting = self._lasting.look(signs, now)
        return next((kind.cause for kind in _WORST_FIRST if kind in lasting), None)
