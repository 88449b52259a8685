"""What all reviews share: an object comes in, is brought into form, and goes out with a status."""

from collections.abc import Callable
from dataclasses import dataclass

from cluster.apiserver.fields.updater import track_create
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response, json_response
from cluster.apiserver.kinds.builtin.core import BuiltIn
from cluster.apiserver.kinds.custom import whole
from cluster.apiserver.kinds.model import Resource, Target, Version
from cluster.apiserver.schema.compile import compile_schema
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.body import read_body
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.options import write_options
from cluster.apiserver.verbs.prepare import check_identity, complete, tidy

Answer = Callable[[Context, Target, Json, Request], None]


@dataclass(frozen=True)
class Review:
    """`answer` completes the object with its status. Raises ApiError."""

    resource: Resource
    answer: Answer


def a_review(group: str, plural: str, kind: str, schema: Json, answer: Answer, *, namespaced: bool = False) -> Review:
    served = Version("v1", whole(compile_schema(schema)), schema)
    resource = Resource(
        group, plural, kind.lower(), kind, kind + "List", namespaced, {"v1": served}, "v1", BuiltIn(), verbs=("create",)
    )
    return Review(resource, answer)


def answered(context: Context, review: Review, target: Target, request: Request) -> Response:
    options = write_options(request, "CreateOptions")
    body = read_body(request, target)
    obj = body.obj
    check_identity(target, obj)
    if "spec" in target.version.schema.properties and obj.get("spec") is None:
        obj["spec"] = {}
    tidy(target, obj, body.duplicates, options, request)
    obj.pop("status", None)
    complete(target, obj, None)
    _leave_out_empty(obj.get("spec") or {})
    track_create(obj, target.version.schema, options.entry(target), blank={"spec": {}})
    review.answer(context, target, obj, request)
    return json_response(201, obj)


def _leave_out_empty(fields: Json) -> None:
    """As a program's struct has it: what is empty was not sent."""
    for name, value in list(fields.items()):
        if isinstance(value, dict):
            _leave_out_empty(value)
        elif not value:
            del fields[name]
