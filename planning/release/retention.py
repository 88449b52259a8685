"""What is kept of a project's past: the live deploy, the last that were live, the last others."""

from crds.models.deploy import Deploy
from planning.release.view import is_finished

KEPT_LIVE = 5
KEPT_OTHERS = 10


def expendable(deploys: list[Deploy]) -> list[Deploy]:
    """The deploys that may go, oldest first. What runs, waits or is live never does."""
    past = sorted(
        (d for d in deploys if is_finished(d) and d.status.phase != "live" and not d.deleting),
        key=lambda d: d.status.number or 0,
        reverse=True,
    )
    were_live = [d for d in past if d.status.was_live]
    others = [d for d in past if not d.status.was_live]
    return list(reversed(were_live[KEPT_LIVE:] + others[KEPT_OTHERS:]))


def can_roll_back_to(deploy: Deploy) -> bool:
    """Its artifact and variables are still there, and it answered once."""
    return deploy.status.was_live and bool(deploy.status.artifact) and not deploy.deleting
