"""The steps that people see: begun, ended, failed; each once and in order."""

from datetime import datetime

from crds.models.deploy import DeployStatus, Failure, Step, StepName

ORDER: tuple[StepName, ...] = ("resolve", "build", "start", "check", "switch")


def step(status: DeployStatus, name: StepName) -> Step | None:
    return next((s for s in status.steps if s.name == name), None)


def begin(status: DeployStatus, name: StepName, now: datetime) -> Step:
    """The step, begun now unless it was before."""
    found = step(status, name)
    if found is None:
        found = Step(name=name, status="running", started_at=now)
        status.steps.append(found)
    return found


def end(status: DeployStatus, name: StepName, now: datetime, message: str | None = None) -> None:
    found = begin(status, name, now)
    if found.status == "running":
        found.status = "done"
        found.finished_at = now
        found.message = message


def fail(status: DeployStatus, now: datetime, failure: Failure) -> None:
    """The deploy ends here: the running step failed, and the status says why."""
    status.phase = "failed"
    status.failure = failure
    stop(status, now, failure.message)


def stop(status: DeployStatus, now: datetime, why: str) -> None:
    """The deploy ends now; a step that runs ends without its result."""
    for running in status.steps:
        if running.status == "running":
            running.status = "failed"
            running.finished_at = now
            running.message = why[:1000]
    status.finished_at = now
