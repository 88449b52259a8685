"""How many instances a project has, and how large they are."""

from api.edits import scale as edits
from api.edits.project import new_scaling
from api.http.answers import Answer
from api.http.call import Call
from api.problems import conflict
from api.records.cache import Records
from api.views.common import etag_of
from api.views.scale import scale_view
from crds.client.errors import AlreadyExists
from crds.models.project import Project
from crds.models.scaling import Scaling
from crds.names import scaling_name


async def read(call: Call) -> Answer:
    records, project = call.platform.records, call.project
    return _answer(records.main_scaling(project) or new_scaling(project, records.main_process(project)))


async def change(call: Call) -> Answer:
    project, records, editor = call.own_project, call.platform.records, call.platform.editor
    process = _process(records, project)
    scaling = records.scaling_of(project, process) or await _made(call, process)
    edit = edits.scale(call.body)
    edited = await editor.edit(records.scalings, scaling, edit, check=lambda scaling: call.must_match(etag_of(scaling)))
    return _answer(edited)


def _process(records: Records, project: Project) -> str:
    """409 when nobody could say which one is meant."""
    names = records.processes_of(project)
    if names and "web" not in names and len(names) > 1:
        raise conflict(
            f"The project has no process web, but {', '.join(names)}. "
            f"Scale each by a Scaling record of its own, such as {scaling_name(project.name, names[0])}."
        )
    return records.main_process(project)


async def _made(call: Call, process: str) -> Scaling:
    """A project that came by manifest may have none yet, and each has none for a process that is not `web`."""
    call.must_match(etag_of(None))
    editor, records = call.platform.editor, call.platform.records
    try:
        return await editor.create(records.scalings, new_scaling(call.project, process))
    except AlreadyExists:
        return await editor.client.get(Scaling, scaling_name(call.project.name, process), call.namespace)


def _answer(scaling: Scaling) -> Answer:
    return Answer(scale_view(scaling), etag=etag_of(scaling) if scaling.uid else etag_of(None))
