"""PATCH in its four formats."""

from collections.abc import Awaitable
from typing import Any

import orjson

from cluster.apiserver.errors import (
    ApiError,
    FieldError,
    bad_request,
    conflict,
    invalid,
    unsupported_media_type,
)
from cluster.apiserver.fields.last_applied import MANAGER, sync_annotation
from cluster.apiserver.fields.sets import EMPTY, FieldSet
from cluster.apiserver.fields.updater import apply, track_update
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.output.negotiate import Form
from cluster.apiserver.patch.json_patch import json_patch
from cluster.apiserver.patch.merge import merge_patch
from cluster.apiserver.patch.strategic import strategic_merge
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.body import parse_json, parse_yaml
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.create import ignored_fields, insert, new_object, require_namespace
from cluster.apiserver.verbs.grants import require_create
from cluster.apiserver.verbs.options import WriteOptions, apply_options, write_options
from cluster.apiserver.verbs.prepare import StrictError, Undecodable, check_identity, tidy, without
from cluster.apiserver.verbs.stored import stored
from cluster.apiserver.verbs.update import existing, require_same, settle, store_change
from cluster.apiserver.verbs.views import object_in

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = frozenset({"application/apply-patch+yaml", "application/apply-patch+json"})


def patch(context: Context, target: Target, request: Request, form: Form) -> Awaitable[Response]:
    kind = request.content_type
    if kind in APPLY:
        return _apply(context, target, request, form)
    require_format(kind, target)
    options = write_options(request, "PatchOptions")
    changes = parse_json(request.body)
    record = existing(context, target)
    old = object_in(record, target)
    obj = patched(object_in(record, target), changes, kind, target)
    check_unmoved(target, obj)
    try:
        tidy(target, obj, [], options, request)
    except StrictError as error:
        raise _undecodable("; ".join(error.told)) from error
    require_same(target, obj, old)
    try:
        settle(context, target, obj, old, request)
    except Undecodable as error:
        raise _undecodable(error.message) from error
    track_update(old, obj, target.version.schema, options.entry(target), ignored_fields(target))
    return stored(200, store_change(context, target, record, old, obj, options, form))


def _undecodable(told: str) -> ApiError:
    """What comes of the patch is no object of this kind."""
    return invalid("", "", "", [FieldError("FieldValueInvalid", "patch", f"Invalid value: {told}")])


def require_format(kind: str, target: Target) -> None:
    """Raises 415 for a patch format that this kind does not take."""
    accepted = [JSON_PATCH, MERGE_PATCH, *sorted(APPLY)]
    if target.resource.strategy.strategic_merge:
        accepted.insert(2, STRATEGIC)
    if kind not in accepted:
        raise unsupported_media_type(accepted)


def patched(obj: Json, changes: Any, kind: str, target: Target) -> Json:
    """`obj`, which the caller must not use any more, after the patch."""
    if kind == JSON_PATCH:
        # By its copies one value may stand in two places: what is done to one must not be done to the other.
        result = orjson.loads(orjson.dumps(json_patch(obj, changes)))
    elif not isinstance(changes, dict):
        raise bad_request("a merge patch must be an object")
    elif kind == STRATEGIC:
        result = orjson.loads(orjson.dumps(strategic_merge(obj, changes, target.version.schema)))
    else:
        result = merge_patch(obj, changes)
    if not isinstance(result, dict) or not isinstance(result.get("metadata"), dict):
        raise bad_request("the patched object is unrecognized")
    return result


def check_unmoved(target: Target, obj: Json) -> None:
    check_identity(target, obj)
    if obj["metadata"].get("name") != target.name:
        raise bad_request("the name of the object cannot be changed by a patch")


def _apply(context: Context, target: Target, request: Request, form: Form) -> Awaitable[Response]:
    options = apply_options(request)
    config = parse_yaml(request.body)
    if not isinstance(config, dict):
        raise bad_request("the applied configuration must be an object")
    if not config.get("apiVersion") or not config.get("kind"):
        raise bad_request("apiVersion and kind must be set in an apply patch")
    check_identity(target, config)
    metadata = config["metadata"]
    if metadata.setdefault("name", target.name) != target.name:
        raise bad_request("the name of the object does not match the name on the URL")
    if metadata.get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")
    metadata.pop("managedFields", None)
    sent = orjson.loads(orjson.dumps(config))
    _refuse_unknown(target, sent, options, request)
    record = context.store.latest(target.resource.id, (target.namespace, target.name))
    if record is None:
        return _apply_new(context, target, request, config, options, form)
    old = object_in(record, target)
    _require_same_version(target, config, old)
    applied = apply(
        old, _addressed(target, config), target.version.schema, options.applier(target), _ignored(target), options.force
    )
    obj = _whole(applied.merged, old)
    if options.manager == MANAGER:
        sync_annotation(obj, config)
    tidy(target, obj, [], options, request)
    settle(context, target, obj, old, request)
    applied.store_over(obj, old)
    return stored(200, store_change(context, target, record, old, obj, options, form))


def _apply_new(
    context: Context, target: Target, request: Request, config: Json, options: WriteOptions, form: Form
) -> Awaitable[Response]:
    if target.subresource:
        raise ApiError(404, "NotFound", f"{target.resource.plural} {target.name!r} not found", {})
    if config["metadata"].get("resourceVersion"):
        raise conflict(target.resource.group, target.resource.plural, target.name)
    require_create(context, target, request.identity)
    require_namespace(context, target)
    applied = apply(None, _addressed(target, config), target.version.schema, options.applier(target), _ignored(target))
    obj = _whole(applied.merged, config)
    tidy(target, obj, [], options, request)
    new_object(context, target, obj, request)
    applied.store(obj)
    return stored(201, insert(context, target, obj, options, form))


def _refuse_unknown(target: Target, config: Json, options: WriteOptions, request: Request) -> None:
    """An unknown field in an applied configuration is an error, not a warning: it would never be owned."""
    strict = WriteOptions(options.dry_run, "Strict", options.manager)
    try:
        tidy(target, config, [], strict, request)
    except StrictError as error:
        raise bad_request("failed to create typed patch object: " + ", ".join(error.told)) from error


def _require_same_version(target: Target, config: Json, old: Json) -> None:
    version = config["metadata"].get("resourceVersion")
    if version and version != old["metadata"]["resourceVersion"]:
        raise conflict(target.resource.group, target.resource.plural, target.name)
    uid = config["metadata"].get("uid")
    if uid and uid != old["metadata"]["uid"]:
        told = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {old['metadata']['uid']}"
        raise conflict(target.resource.group, target.resource.plural, target.name, told)


def _addressed(target: Target, config: Json) -> Json:
    """Of a configuration for /status only the status counts, of one for the object all but that."""
    if target.subresource == "status":
        only = {name: value for name, value in config.items() if name in ("apiVersion", "kind", "status")}
        return {**only, "metadata": {"name": target.name}}
    return without(config, "status") if target.version.has_status else config


def _ignored(target: Target) -> FieldSet:
    return ignored_fields(target) if target.subresource != "status" else EMPTY


def _whole(merged: Json, other: Json) -> Json:
    """The merged object with its identity and bookkeeping back."""
    kept = {name: value for name, value in other["metadata"].items() if name not in OWNABLE_METADATA}
    metadata = {**kept, **(merged.get("metadata") or {})}
    whole = {"apiVersion": other["apiVersion"], "kind": other["kind"], **merged, "metadata": metadata}
    fresh: Json = orjson.loads(orjson.dumps(whole))
    return fresh


OWNABLE_METADATA = frozenset({"labels", "annotations", "finalizers", "ownerReferences", "generateName"})
