"""POST: a new object."""

from collections.abc import Awaitable

from cluster.apiserver.errors import (
    ApiError,
    FieldError,
    PageNotFound,
    already_exists,
    bad_request,
    details_of,
    forbidden,
    invalid,
    method_not_allowed,
)
from cluster.apiserver.fields.sets import EMPTY, LEAF, FieldSet, union
from cluster.apiserver.fields.updater import track_create
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response
from cluster.apiserver.kinds import times
from cluster.apiserver.kinds.builtin.table import NAMESPACES
from cluster.apiserver.kinds.identifiers import generated_name, new_uid
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.output.negotiate import Form
from cluster.apiserver.output.render import render
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.body import Body, read_body
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.grants import require_grantable
from cluster.apiserver.verbs.options import WriteOptions, write_options
from cluster.apiserver.verbs.prepare import check, check_identity, complete, rules_left_out, tidy
from cluster.apiserver.verbs.stored import stored
from cluster.apiserver.verbs.views import bytes_in, dry_bytes, to_storage

SYSTEM_FIELDS = (
    "uid", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
)  # fmt: skip
STATUS_FIELDS: FieldSet = {"f:status": LEAF}


def create(context: Context, target: Target, request: Request, form: Form) -> Awaitable[Response]:
    if target.resource.namespaced and not target.namespace:
        raise PageNotFound if target.resource.custom else method_not_allowed()
    options = write_options(request, "CreateOptions")
    body = read_body(request, target)
    obj = body.obj
    check_identity(target, obj)
    _fill_name(target, obj)
    if obj["metadata"].get("resourceVersion"):
        raise bad_request("resourceVersion should not be set on objects to be created")
    return stored(201, made(context, target, body, request, options, form))


def made(
    context: Context, target: Target, body: Body, request: Request, options: WriteOptions, form: Form
) -> Awaitable[bytes]:
    """A new object, named already, in the form that was asked for."""
    obj = body.obj
    require_namespace(context, target)
    tidy(target, obj, body.duplicates, options, request)
    new_object(context, target, obj, request)
    strategy, who = target.resource.strategy, options.entry(target)
    ignored = union(ignored_fields(target), strategy.unowned)
    track_create(obj, target.version.schema, who, ignored, dict(strategy.blank))
    return insert(context, target, obj, options, form)


def new_object(context: Context, target: Target, obj: Json, request: Request) -> None:
    """Make `obj` (pruned and defaulted already) one that can be stored for the first time."""
    metadata = obj["metadata"]
    for name in SYSTEM_FIELDS:
        metadata.pop(name, None)
    if target.version.has_status:
        obj.pop("status", None)
    problems = target.resource.strategy.name_errors(metadata.get("name"))
    # Of kinds of its own the real server tells all that is wrong at once.
    if problems and (target.resource.custom or not metadata.get("name")):
        problems += rules_left_out(target, problems)
        raise invalid(target.resource.group, target.resource.kind, metadata.get("name") or "", problems)
    complete(target, obj, None)
    metadata["uid"] = new_uid()
    metadata["creationTimestamp"] = times.now()
    if target.resource.strategy.keeps_generation:
        metadata["generation"] = 1
    require_grantable(context, target, obj, None, request.identity)
    check(target, obj, None, request)


async def insert(context: Context, target: Target, obj: Json, options: WriteOptions, form: Form) -> bytes:
    """Store a new object, or refuse because there is one of its name."""
    resource = target.resource
    key = (target.namespace, obj["metadata"]["name"])
    if context.store.latest(resource.id, key) is not None:
        raise already_exists(resource.group, resource.plural, key[1])
    if context.registry.terminating(resource):
        why = "create not allowed while custom resource definition is terminating"
        raise forbidden(resource.group, resource.plural, key[1], why)
    if options.dry_run:
        return render(dry_bytes(obj), target, form)
    record = await context.store.put(resource.id, to_storage(obj, target), None)
    return render(bytes_in(record, resource, target.version), target, form)


def require_namespace(context: Context, target: Target) -> None:
    """Nothing new without a namespace that lives."""
    if not target.resource.namespaced:
        return
    namespace = context.store.latest(NAMESPACES, ("", target.namespace))
    if namespace is None:
        message = f'namespaces "{target.namespace}" not found'
        raise ApiError(404, "NotFound", message, details_of(target.namespace, "", "namespaces"))
    if namespace.deleting:
        told = f"unable to create new content in namespace {target.namespace} because it is being terminated"
        cause = FieldError(
            "NamespaceTerminating", "metadata.namespace", f"namespace {target.namespace} is being terminated"
        )
        raise forbidden(target.resource.group, target.resource.plural, target.name, told, [cause])


def ignored_fields(target: Target) -> FieldSet:
    """What a write to this address cannot own because it cannot set it."""
    if not target.version.has_status or target.subresource == "status":
        return EMPTY
    return STATUS_FIELDS


def _fill_name(target: Target, obj: Json) -> None:
    metadata = obj["metadata"]
    prefix = metadata.get("generateName")
    if not metadata.get("name") and isinstance(prefix, str) and prefix:
        metadata["name"] = generated_name(prefix)
    if "name" in metadata and not isinstance(metadata["name"], str):
        raise bad_request("metadata.name must be a string")
    if target.name and metadata.get("name") != target.name:
        raise bad_request("the name of the object does not match the name on the URL")
