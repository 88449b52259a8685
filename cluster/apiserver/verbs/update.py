"""PUT, and the common end of every change to an object that exists."""

from collections.abc import Awaitable

from cluster.apiserver.errors import (
    bad_request,
    conflict,
    field_forbidden,
    field_invalid,
    invalid,
    not_found,
)
from cluster.apiserver.fields.share import share, unchanged
from cluster.apiserver.fields.updater import track_update
from cluster.apiserver.fields.walk import same
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.output.negotiate import Form
from cluster.apiserver.output.render import render
from cluster.apiserver.storage.records import Record, encode
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.body import Body, read_body
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.create import ignored_fields, made
from cluster.apiserver.verbs.grants import require_create, require_grantable
from cluster.apiserver.verbs.options import WriteOptions, write_options
from cluster.apiserver.verbs.prepare import check, check_identity, complete, desired, tidy, without
from cluster.apiserver.verbs.stored import Stale, stored
from cluster.apiserver.verbs.views import bytes_in, object_in, to_storage

KEPT = (
    "uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
    "resourceVersion", "name", "namespace",
)  # fmt: skip


def update(context: Context, target: Target, request: Request, form: Form) -> Awaitable[Response]:
    options = write_options(request, "UpdateOptions")
    body = read_body(request, target)
    obj = body.obj
    check_identity(target, obj)
    record = context.store.latest(target.resource.id, (target.namespace, target.name))
    if record is None and target.resource.strategy.create_on_update and not target.subresource:
        require_name(target, obj)
        return stored(201, _make(context, target, body, request, options, form))
    record = existing(context, target)
    old = object_in(record, target)
    require_name(target, obj)
    tidy(target, obj, body.duplicates, options, request)
    require_version(target, obj, old)
    settle(context, target, obj, old, request)
    track_update(old, obj, target.version.schema, options.entry(target), ignored_fields(target))
    return stored(200, store_change(context, target, record, old, obj, options, form))


def _make(
    context: Context, target: Target, body: Body, request: Request, options: WriteOptions, form: Form
) -> Awaitable[bytes]:
    """A PUT of what is not there, where the kind has it so: whoever may not create may not do this either."""
    require_create(context, target, request.identity)
    body.obj["metadata"].pop("resourceVersion", None)
    return made(context, target, body, request, options, form)


def existing(context: Context, target: Target) -> Record:
    record = context.store.latest(target.resource.id, (target.namespace, target.name))
    if record is None:
        raise not_found(target.resource.group, target.resource.plural, target.name)
    return record


def require_name(target: Target, obj: Json) -> None:
    sent = obj["metadata"].get("name")
    if sent != target.name:
        raise bad_request(f"the name of the object ({sent}) does not match the name on the URL ({target.name})")


def require_version(target: Target, obj: Json, old: Json) -> None:
    """A PUT says which version it replaces; only some built-in kinds accept one that does not."""
    resource = target.resource
    if not obj["metadata"].get("resourceVersion") and not resource.strategy.unconditional_update:
        cause = field_invalid("metadata.resourceVersion", 0, "must be specified for an update")
        raise invalid(resource.group, resource.plural, target.name, [cause])
    require_same(target, obj, old)


def require_same(target: Target, obj: Json, old: Json) -> None:
    """A resource version or uid that is sent must be the present one."""
    resource = target.resource
    sent, have = obj["metadata"], old["metadata"]
    if sent.get("uid") and sent["uid"] != have["uid"]:
        detail = f"Precondition failed: UID in precondition: {sent['uid']}, UID in object meta: {have['uid']}"
        raise conflict(resource.group, resource.plural, target.name, detail)
    version = sent.get("resourceVersion")
    if version and version != "0" and version != have["resourceVersion"]:
        raise conflict(resource.group, resource.plural, target.name)


def settle(context: Context, target: Target, obj: Json, old: Json, request: Request) -> None:
    """Make `obj`, pruned and defaulted, what `old` becomes: keep what clients cannot change, complete, validate."""
    _keep_what_is_not_addressed(target, obj, old)
    metadata, before = obj["metadata"], old["metadata"]
    for name in KEPT:
        if name in before:
            metadata[name] = before[name]
        else:
            metadata.pop(name, None)
    complete(target, obj, old)
    share(obj, old)
    if target.resource.strategy.keeps_generation and not unchanged(desired(obj), desired(old)):
        metadata["generation"] = before.get("generation", 0) + 1
    require_grantable(context, target, obj, old, request.identity)
    check(target, obj, old, request)
    if "deletionTimestamp" in before:
        _refuse_new_finalizers(target, metadata, before)


def _keep_what_is_not_addressed(target: Target, obj: Json, old: Json) -> None:
    if target.subresource == "status":
        _keep_all_but_status(target, obj, old)
    elif target.version.has_status:
        obj.pop("status", None)
        if "status" in old:
            obj["status"] = old["status"]


def _keep_all_but_status(target: Target, obj: Json, old: Json) -> None:
    status, metadata = obj.get("status"), obj["metadata"]
    api_version, kind = obj["apiVersion"], obj["kind"]
    obj.clear()
    obj.update({**without(old, "status"), "apiVersion": api_version, "kind": kind})
    if target.resource.strategy.status_carries_metadata:
        obj["metadata"] = metadata
    else:
        obj["metadata"] = dict(old["metadata"])
        if metadata.get("managedFields") is not None:
            obj["metadata"]["managedFields"] = metadata["managedFields"]
    if status is not None:
        obj["status"] = status


def _refuse_new_finalizers(target: Target, metadata: Json, before: Json) -> None:
    had = before.get("finalizers") or []
    new = [name for name in metadata.get("finalizers") or [] if name not in had]
    if new:
        told = f"no new finalizers can be added if the object is being deleted, found new finalizers {new!r}"
        resource = target.resource
        raise invalid(resource.group, resource.kind, target.name, [field_forbidden("metadata.finalizers", told)])


def store_change(
    context: Context, target: Target, record: Record, old: Json, obj: Json, options: WriteOptions, form: Form
) -> Awaitable[bytes]:
    """Write `obj` over `record` if it differs, or finish a deletion that waited for its last finalizer."""
    if same(obj, old):
        return _as_it_is(context, target, record, form)
    if options.dry_run:
        return _unwritten(target, obj, form)
    if deletable(obj):
        return _remove(context, target, record, obj, form)
    return _replace(context, target, record, to_storage(obj, target), form)


def _require_latest(context: Context, target: Target, record: Record) -> None:
    if context.store.latest(target.resource.id, record.key) is not record:
        raise Stale


async def _as_it_is(context: Context, target: Target, record: Record, form: Form) -> bytes:
    _require_latest(context, target, record)
    return render(bytes_in(record, target.resource, target.version), target, form)


async def _unwritten(target: Target, obj: Json, form: Form) -> bytes:
    return render(encode(obj), target, form)


async def _remove(context: Context, target: Target, record: Record, obj: Json, form: Form) -> bytes:
    """Watchers see the object as it was before; the caller sees what it wrote."""
    _require_latest(context, target, record)
    await context.store.remove(target.resource.id, record.decode(), record)
    return render(encode(obj), target, form)


async def _replace(context: Context, target: Target, record: Record, obj: Json, form: Form) -> bytes:
    _require_latest(context, target, record)
    resource = target.resource
    written = await context.store.put(resource.id, obj, record)
    return render(bytes_in(written, resource, target.version), target, form)


def deletable(obj: Json) -> bool:
    """Deletion was asked for and nothing holds the object any more."""
    if "deletionTimestamp" not in obj["metadata"] or obj["metadata"].get("finalizers"):
        return False
    return not (obj["kind"] == "Namespace" and obj["apiVersion"] == "v1" and (obj.get("spec") or {}).get("finalizers"))
