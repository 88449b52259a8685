"""Projects: listed, made, read, edited, deleted."""

import logging

from api import annotations
from api.edits import project as edits
from api.http.answers import Answer, Page
from api.http.call import Call
from api.http.paging import page_of
from api.problems import conflict, unavailable
from api.views.common import etag_of, id_of
from crds.client.errors import AlreadyExists, ApiError, NotFound
from crds.models.project import Project

_log = logging.getLogger(__name__)


async def listing(call: Call) -> Page:
    projects = call.platform.records.projects_of(call.account)
    shown, cursor = page_of(projects, call.query, call.path, place=lambda project: project.name)
    return Page("projects", [_encoded(call, project) for project in shown], cursor)


async def read(call: Call) -> Answer:
    return _answer(call, call.project)


async def create(call: Call) -> Answer:
    body: edits.CreateProject = call.body
    edits.check_name(body.name)
    token = call.token()
    wanted = edits.new_project(body, call.namespace, request_id=call.request_id, token=token)
    editor, records = call.platform.editor, call.platform.records
    try:
        project = await editor.create(records.projects, wanted)
    except NotFound:
        raise unavailable("The account is still being set up. Try again shortly.") from None
    except AlreadyExists:
        project = await _made_before(call, body.name, token)
    await _with_scaling(call, project)
    return Answer(_encoded(call, project), location=f"/v1/projects/{id_of(project)}", etag=etag_of(project))


async def _made_before(call: Call, name: str, token: str) -> Project:
    """The project of that name, when this very request (repeated after a crash) made it."""
    there = await call.platform.editor.client.get(Project, name, call.namespace)
    if not call.idempotency_key or there.metadata.annotations.get(annotations.MADE_BY) != token:
        raise conflict(f"There is a project named {name} already. Choose another name.")
    call.platform.records.projects.upsert(there)
    return there


async def _with_scaling(call: Call, project: Project) -> None:
    """Its Scaling; when that cannot be made the project goes again, so that nothing is left half made."""
    editor, records = call.platform.editor, call.platform.records
    try:
        await editor.create(records.scalings, edits.new_scaling(project))
    except AlreadyExists:
        return
    except ApiError:
        try:
            await editor.delete(records.projects, project)
        except ApiError as error:
            _log.warning("request %s: project %s stays without a scaling: %s", call.request_id, project.name, error)
        raise


async def patch(call: Call) -> Answer:
    edited = await call.platform.editor.edit(
        call.platform.records.projects,
        call.own_project,
        edits.patch_project(call.body),
        check=lambda project: call.must_match(etag_of(project)),
    )
    return _answer(call, edited)


async def delete(call: Call) -> Answer:
    call.must_match(etag_of(call.project))
    left = await call.platform.editor.delete(call.platform.records.projects, call.project)
    if left is None:
        return Answer(None, status=204)
    return Answer(_encoded(call, left))


def _answer(call: Call, project: Project) -> Answer:
    return Answer(_encoded(call, project), etag=etag_of(project))


def _encoded(call: Call, project: Project) -> bytes:
    records = call.platform.records
    return call.platform.project_views.encoded(project, records.main_scaling(project), records.live_deploy(project))
