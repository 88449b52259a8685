"""What a plan may ask for. Each is safe to repeat."""

from dataclasses import dataclass, field

from crds.models.deploy import DeployStatus
from crds.models.record import Record


@dataclass(frozen=True)
class Ensure:
    """This record is to exist (its owner is the deploy)."""

    record: Record


@dataclass(frozen=True)
class TakeSnapshot:
    """The immutable Secret `name` is to exist, with the variables that the Secret `source` holds now."""

    name: str
    source: str


@dataclass(frozen=True)
class SwitchTraffic:
    """One write of the project's Route: from now on this deploy answers."""

    deploy: str
    workload: str


@dataclass(frozen=True)
class Remove:
    """This record is no longer wanted."""

    record: Record


Action = Ensure | TakeSnapshot | SwitchTraffic | Remove


@dataclass
class Plan:
    """Actions in order, then the status; `again_in` seconds when time alone can change the plan."""

    status: DeployStatus
    actions: list[Action] = field(default_factory=list)
    again_in: float | None = None
    waiting_for: str = ""
