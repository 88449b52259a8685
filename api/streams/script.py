"""What a deploy's stream consists of, in order; pure.

The order depends only on the deploy's steps, which the loop only ever adds to. So every client sees the same events
under the same numbers, whenever it joins, and also from an API that was started anew."""

from dataclasses import dataclass
from datetime import datetime

from api.views.status import is_over
from crds.models.deploy import Deploy, DeployPhase, Step

_BEGAN = {
    "resolve": "Looking up the commit",
    "build": "Building",
    "start": "Starting instances",
    "check": "Waiting until they answer the health check",
    "switch": "Moving traffic to the new release",
}
_PHASE_AT: dict[str, DeployPhase] = {"build": "building", "start": "releasing"}


@dataclass(frozen=True)
class StatusChange:
    status: DeployPhase


@dataclass(frozen=True)
class LoopLine:
    """A line that the platform itself says."""

    phase: str
    at: datetime
    line: str


@dataclass(frozen=True)
class BuildOutput:
    """All of the build's log stands here; `over`: it grows no more."""

    over: bool


@dataclass(frozen=True)
class Done:
    """The last event."""


Item = StatusChange | LoopLine | BuildOutput | Done


def script(deploy: Deploy) -> list[Item]:
    """What is known so far. A later script of the same deploy begins with the same items."""
    over = is_over(deploy)
    items: list[Item] = [StatusChange("queued")]
    for step in deploy.status.steps:
        items += _of_step(step, over=over)
        if step.finished_at is None and not over:
            return items
    if over:
        items.append(Done())
    return items


def _of_step(step: Step, *, over: bool) -> list[Item]:
    items: list[Item] = []
    if step.name in _PHASE_AT:
        items.append(StatusChange(_PHASE_AT[step.name]))
    items.append(LoopLine(step.name, step.started_at, _BEGAN[step.name]))
    if step.name == "build":
        items.append(BuildOutput(over=over or step.finished_at is not None))
    if step.finished_at is not None:
        items.append(LoopLine(step.name, step.finished_at, _ended(step)))
    return items


def _ended(step: Step) -> str:
    seconds = (step.finished_at - step.started_at).total_seconds() if step.finished_at else 0.0
    word = "failed" if step.status == "failed" else "done"
    told = f": {step.message}" if step.message else ""
    return f"{step.name} {word} after {seconds:.2f} s{told}"
