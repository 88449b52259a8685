"""The queue of a project: one deploy at a time; of those that wait, only the newest runs."""

from typing import Literal

from crds.models.deploy import Deploy
from planning.release.view import is_active, is_finished

Turn = Literal["run", "wait", "superseded"]


def next_number(deploys: list[Deploy], last_number: int) -> int:
    """One more than any deploy of the project ever had (`last_number` remembers those that were pruned)."""
    return 1 + max([last_number, *(deploy.status.number or 0 for deploy in deploys)])


def is_first_unnumbered(deploy: Deploy, siblings: list[Deploy]) -> bool:
    """Numbers are given in the order of creation, one after the other."""
    waiting = [other for other in siblings if other.status.number is None and not is_finished(other)]
    return all(_age(deploy) <= _age(other) for other in waiting)


def _age(deploy: Deploy) -> tuple[str, str]:
    created = deploy.metadata.creation_timestamp
    return (created.isoformat() if created else "", deploy.name)


def turn(number: int, siblings: list[Deploy]) -> Turn:
    """Whether the one that is queued under `number` runs now."""
    waiting = [other for other in siblings if not is_finished(other) and not is_active(other) and not other.deleting]
    if any((other.status.number or number + 1) > number for other in waiting):
        return "superseded"
    if any(is_active(other) for other in siblings):
        return "wait"
    return "run"
