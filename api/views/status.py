"""The status words of section 2, each derived here and nowhere else."""

from typing import Literal

from crds.models.deploy import FINISHED, Deploy, DeployPhase
from crds.models.instance import Instance
from crds.models.project import Phase, Project

InstanceWord = Literal["starting", "running", "stopping", "crashed"]
WebhookWord = Literal["unconfigured", "waiting", "active", "failing"]


def project_word(project: Project) -> Phase:
    return "deleting" if project.deleting else project.status.phase or "pending"


def deploy_word(deploy: Deploy) -> DeployPhase:
    return deploy.status.phase or "queued"


def is_over(deploy: Deploy) -> bool:
    return deploy_word(deploy) in FINISHED


def instance_word(instance: Instance) -> InstanceWord | None:
    """None: it does not run any more."""
    if instance.deleting:
        return "stopping"
    words: dict[str, InstanceWord | None] = {
        "pending": "starting",
        "starting": "starting",
        "running": "running",
        "stopping": "stopping",
        "crashed": "crashed",
    }
    return words.get(instance.status.phase or "pending")


def webhook_word(*, configured: bool, last_delivery: str | None, last_error: str | None) -> WebhookWord:
    if not configured:
        return "unconfigured"
    if last_error:
        return "failing"
    return "active" if last_delivery else "waiting"
