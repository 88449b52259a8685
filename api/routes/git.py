"""The connection to a repository, and its webhook's secret."""

import secrets
from contextlib import suppress

from api.edits import git as edits
from api.edits.deploy import must_have_source
from api.http.answers import Answer
from api.http.call import Call
from api.problems import conflict
from api.views.git import connected_view, git_etag, git_view
from crds.client.errors import AlreadyExists, NotFound
from crds.models.core import Secret
from crds.models.project import Project
from crds.names import ANNOTATION_LAST_ERROR, webhook_secret


async def read(call: Call) -> Answer:
    return _answer(call, call.project, await secret_of(call, call.project))


async def connect(call: Call) -> Answer:
    config, body = call.platform.config, call.body
    operator = call.account.spec.operator
    repository = edits.repository_of(body.repo, git_host=config.git_host, operator=operator)
    branch = edits.check_branch(body.branch)
    edit = edits.connect(repository, branch, call.credential.user_id)
    project = await _edit(call, edit)
    # The project first: a secret that is made is shown only once, by a call that went well to its end.
    value = _new_value()
    try:
        secret = await call.platform.editor.client.create(edits.new_webhook_secret(project, value))
    except AlreadyExists:
        return _answer(call, project, await secret_of(call, project))
    return _answer_once(call, project, secret, value)


async def disconnect(call: Call) -> Answer:
    project = await _edit(call, edits.disconnect())
    with suppress(NotFound):
        await call.platform.editor.client.delete(Secret, webhook_secret(project.name), project.namespace)
    return Answer(None)


async def rotate_secret(call: Call) -> Answer:
    must_have_source(call.own_project)
    project, client = call.project, call.platform.editor.client
    secret = await secret_of(call, project)
    call.must_match(git_etag(project, secret))
    value = _new_value()
    if secret is None:
        try:
            secret = await client.create(edits.new_webhook_secret(project, value))
        except AlreadyExists:
            raise conflict("The secret is being changed by somebody else at this moment. Try again.") from None
        return _answer_once(call, project, secret, value)
    patch = {
        "metadata": {
            "resourceVersion": secret.metadata.resource_version,
            "annotations": {ANNOTATION_LAST_ERROR: None},
        },
        "data": Secret.encode({edits.ENTRY: value}),
    }
    secret = await client.patch(Secret, secret.name, secret.namespace, patch)
    return _answer_once(call, project, secret, value)


async def _edit(call: Call, edit: dict[str, object]) -> Project:
    secret = await secret_of(call, call.project)
    return await call.platform.editor.edit(
        call.platform.records.projects,
        call.own_project,
        edit,
        check=lambda project: call.must_match(git_etag(project, secret)),
    )


async def secret_of(call: Call, project: Project) -> Secret | None:
    try:
        return await call.platform.editor.client.get(Secret, webhook_secret(project.name), project.namespace)
    except NotFound:
        return None


def _answer(call: Call, project: Project, secret: Secret | None) -> Answer:
    return Answer(git_view(project, secret, call.platform.config.public_url), etag=git_etag(project, secret))


def _answer_once(call: Call, project: Project, secret: Secret, value: str) -> Answer:
    view = git_view(project, secret, call.platform.config.public_url)
    return Answer(connected_view(view, value), etag=git_etag(project, secret))


def _new_value() -> str:
    return secrets.token_urlsafe(32)
