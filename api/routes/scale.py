"""How many instances a project has, and how large they are."""

from api.edits import scale as edits
from api.edits.project import new_scaling
from api.http.answers import Answer
from api.http.call import Call
from api.views.common import etag_of
from api.views.scale import scale_view
from crds.client.errors import AlreadyExists
from crds.models.scaling import Scaling
from crds.names import scaling_name


async def read(call: Call) -> Answer:
    return _answer(call.platform.records.web_scaling(call.project) or new_scaling(call.project))


async def change(call: Call) -> Answer:
    project, records, editor = call.own_project, call.platform.records, call.platform.editor
    scaling = records.web_scaling(project) or await _made(call)
    edit = edits.scale(call.body)
    edited = await editor.edit(records.scalings, scaling, edit, check=lambda scaling: call.must_match(etag_of(scaling)))
    return _answer(edited)


async def _made(call: Call) -> Scaling:
    """A project that came by manifest may have none yet."""
    call.must_match(etag_of(None))
    editor, records = call.platform.editor, call.platform.records
    try:
        return await editor.create(records.scalings, new_scaling(call.project))
    except AlreadyExists:
        return await editor.client.get(Scaling, scaling_name(call.project.name, "web"), call.namespace)


def _answer(scaling: Scaling) -> Answer:
    return Answer(scale_view(scaling), etag=etag_of(scaling) if scaling.uid else etag_of(None))
