"""A project's connection to its repository as answers show it."""

import hashlib

from api.http.shapes import View
from api.views.common import id_of
from api.views.status import WebhookWord, webhook_word
from crds.models.core import Secret
from crds.models.project import Project
from crds.names import ANNOTATION_LAST_DELIVERY, ANNOTATION_LAST_ERROR


class WebhookView(View):
    status: WebhookWord
    url: str
    last_delivery_at: str | None
    last_error: str | None


class GitView(View):
    repository: str | None
    branch: str | None
    webhook: WebhookView


class ConnectedView(GitView):
    """`secret`: the webhook's signing secret, shown once, when it was made."""

    secret: str


def git_view(project: Project, secret: Secret | None, public_url: str) -> GitView:
    """`secret`: that of the webhook; None when there is none."""
    notes = secret.metadata.annotations if secret else {}
    last, error = notes.get(ANNOTATION_LAST_DELIVERY) or None, notes.get(ANNOTATION_LAST_ERROR) or None
    return GitView(
        repository=project.spec.source.repository or None,
        branch=project.spec.source.branch or None,
        webhook=WebhookView(
            status=webhook_word(configured=secret is not None, last_delivery=last, last_error=error),
            url=f"{public_url.rstrip('/')}/v1/projects/{id_of(project)}/git/webhook",
            last_delivery_at=last,
            last_error=error,
        ),
    )


def connected_view(view: GitView, value: str) -> ConnectedView:
    return ConnectedView(repository=view.repository, branch=view.branch, webhook=view.webhook, secret=value)


def git_etag(project: Project, secret: Secret | None) -> str:
    """Of the connection and the signing secret (a hash of 256 random bits gives nothing away)."""
    mark = hashlib.sha256("".join(sorted(secret.data.values())).encode()).hexdigest()[:16] if secret else "none"
    return f'"{project.uid}.{project.metadata.generation}.{mark}"'
