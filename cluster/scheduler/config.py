"""What the scheduler is told at its start."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SchedulerConfig:
    """`identity`: under which name it holds the Lease `scheduler`. The times are in seconds; tests shorten them.

    `lost_after`: how long a node's Lease may stay without renewal until what ran there is replaced."""

    kubeconfig: Path
    identity: str
    renew_every: float = 5.0
    lost_after: float = 15.0
