"""A project's status word, derived from its deploys and counts in this one place."""

from crds.models.deploy import Deploy
from crds.models.project import InstanceCount, Phase
from planning.release.view import is_finished


def newest(deploys: list[Deploy]) -> Deploy | None:
    """The deploy with the highest number (one without a number yet is newer than all)."""
    return max(deploys, key=lambda d: (d.status.number or 1 << 31, d.name), default=None)


def project_phase(*, deleting: bool, live: bool, deploys: list[Deploy], count: InstanceCount) -> Phase:
    """`live`: a release serves. `count`: what the live release should have, and has."""
    if deleting:
        return "deleting"
    if live:
        if count.desired == 0:
            return "stopped"
        return "running" if count.ready >= count.desired else "degraded"
    if any(not is_finished(deploy) for deploy in deploys):
        return "deploying"
    last = newest(deploys)
    return "failed" if last is not None and last.status.phase == "failed" else "pending"
