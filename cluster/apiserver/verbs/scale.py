"""The scale subresource: autoscaling/v1 Scale as a window on two or three fields of an object."""

from typing import Any

import orjson

from cluster.apiserver.errors import bad_request, conflict, unsupported_media_type
from cluster.apiserver.fields.sets import EMPTY, LEAF, FieldSet
from cluster.apiserver.fields.updater import apply, track_update
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response
from cluster.apiserver.kinds.model import ScalePaths, Target
from cluster.apiserver.output.negotiate import OBJECT
from cluster.apiserver.patch.json_patch import json_patch
from cluster.apiserver.patch.merge import merge_patch
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.body import parse_json, parse_yaml, read_json
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.options import WriteOptions, apply_options, write_options
from cluster.apiserver.verbs.patch import APPLY, JSON_PATCH, MERGE_PATCH
from cluster.apiserver.verbs.prepare import value_at
from cluster.apiserver.verbs.update import existing, settle, store_change
from cluster.apiserver.verbs.views import object_in

METADATA = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
API_VERSION, KIND = "autoscaling/v1", "Scale"


async def scale(context: Context, target: Target, request: Request) -> Response:
    paths = target.version.scale
    if paths is None:
        raise bad_request("this resource has no scale")
    if request.method == "GET":
        obj = object_in(existing(context, target), target)
        return Response(200, orjson.dumps(scale_of(obj, paths)))
    kind = "UpdateOptions" if request.method == "PUT" else "PatchOptions"
    applying = request.content_type in APPLY
    options = apply_options(request) if applying else write_options(request, kind)
    record = existing(context, target)
    old = object_in(record, target)
    wanted = _wanted(request, scale_of(old, paths))
    _check(target, wanted, old)
    obj = object_in(record, target)
    _set(obj, paths.spec, wanted["spec"]["replicas"])
    settle(context, target, obj, old, request)
    if applying:
        _own_by_apply(target, obj, old, paths, options)
    else:
        # Nought is left out of a Scale, so that nobody owns it.
        nothing = _fields_of(paths.spec) if not wanted["spec"]["replicas"] else EMPTY
        track_update(old, obj, target.version.schema, options.entry(target), nothing)
    body = await store_change(context, target, record, old, obj, options, OBJECT)
    return Response(200, orjson.dumps(scale_of(orjson.loads(body), paths)))


def scale_of(obj: Json, paths: ScalePaths) -> Json:
    metadata = {name: obj["metadata"][name] for name in METADATA if name in obj["metadata"]}
    replicas = value_at(obj, paths.spec) or 0
    spec: Json = {"replicas": replicas} if replicas else {}
    status: Json = {"replicas": value_at(obj, paths.status) or 0}
    selector = value_at(obj, paths.selector) if paths.selector else None
    if selector:
        status["selector"] = selector
    return {"kind": KIND, "apiVersion": API_VERSION, "metadata": metadata, "spec": spec, "status": status}


def _wanted(request: Request, present: Json) -> Json:
    """The Scale that the client wants, with spec.replicas always there."""
    kind = request.content_type
    if request.method == "PUT":
        wanted: Any = read_json(request.body).obj
    elif kind == JSON_PATCH:
        present["spec"].setdefault("replicas", 0)
        wanted = json_patch(present, parse_json(request.body))
    elif kind == MERGE_PATCH or kind == "application/strategic-merge-patch+json":
        wanted = merge_patch(present, parse_json(request.body))
    elif kind in APPLY:
        wanted = merge_patch(present, parse_yaml(request.body))
    else:
        raise unsupported_media_type([JSON_PATCH, MERGE_PATCH, *sorted(APPLY)])
    if not isinstance(wanted, dict) or not isinstance(wanted.get("metadata"), dict):
        raise bad_request("the body is no Scale")
    spec = wanted.get("spec")
    wanted["spec"] = spec if isinstance(spec, dict) else {}
    wanted["spec"].setdefault("replicas", 0)
    if type(wanted["spec"]["replicas"]) is not int:
        raise bad_request("json: cannot unmarshal into Scale.spec.replicas: a number is needed")
    return wanted


def _check(target: Target, wanted: Json, old: Json) -> None:
    resource, metadata = target.resource, wanted["metadata"]
    if metadata.get("name") not in (None, target.name):
        raise bad_request("the name of the Scale does not match the name on the URL")
    sent = metadata.get("resourceVersion")
    if sent and sent != old["metadata"]["resourceVersion"]:
        raise conflict(resource.group, resource.plural, target.name)


def _own_by_apply(target: Target, obj: Json, old: Json, paths: ScalePaths, options: WriteOptions) -> None:
    config: Json = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": {"name": target.name}}
    _set(config, paths.spec, value_at(obj, paths.spec))
    who = options.applier(target)
    apply(old, config, target.version.schema, who, force=options.force).store(obj)


def _fields_of(path: tuple[str, ...]) -> FieldSet:
    """The one field at the end of a path."""
    found: FieldSet = LEAF
    for name in reversed(path):
        found = {"f:" + name: found}
    return found


def _set(obj: Json, path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        obj = obj.setdefault(name, {})
    obj[path[-1]] = value
