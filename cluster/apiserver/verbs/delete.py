"""DELETE of one object or of a collection."""

from typing import Any

from cluster.apiserver.errors import (
    bad_request,
    conflict,
    field_invalid,
    field_unsupported,
    forbidden,
    invalid_options,
)
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response, json_response
from cluster.apiserver.kinds.builtin.namespaces import PROTECTED
from cluster.apiserver.kinds.builtin.table import NAMESPACES
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.output.negotiate import Form
from cluster.apiserver.output.render import render, render_list
from cluster.apiserver.protobuf.decode import decode_object
from cluster.apiserver.storage.records import Record, encode
from cluster.apiserver.types import Json
from cluster.apiserver.verbs.body import PROTOBUF, parse_json
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.read import snapshot
from cluster.apiserver.verbs.selectors import matcher_of
from cluster.apiserver.verbs.update import deletable, existing
from cluster.apiserver.verbs.views import bytes_in, object_in, to_storage

POLICIES = ("Background", "Foreground", "Orphan")
HOLDING = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}


class DeleteOptions:
    """How to delete. Raises 400 or 422 for options that make no sense."""

    @classmethod
    def of(cls, policy: str) -> "DeleteOptions":
        return cls({"propagationPolicy": policy})

    @classmethod
    def sent(cls, request: Request) -> "DeleteOptions":
        """From the body, else from the query."""
        return cls({**request.query, **(_body(request) if request.body.strip() else {})})

    def __init__(self, raw: Json) -> None:
        dry = raw.get("dryRun") or []
        dry = [dry] if isinstance(dry, str) else dry
        self.dry_run = bool(dry)
        self.policy: str = raw.get("propagationPolicy") or ""
        if not self.policy and "orphanDependents" in raw:
            self.policy = "Orphan" if raw["orphanDependents"] in (True, "true") else "Background"
        preconditions: Json = raw.get("preconditions") or {}
        self.uid: str | None = preconditions.get("uid")
        self.version: str | None = preconditions.get("resourceVersion")
        self._check(raw, dry)

    def _check(self, raw: Json, dry: list[Any]) -> None:
        errors = []
        if any(item != "All" for item in dry):
            errors.append(field_unsupported("dryRun", dry, ["All"]))
        if self.policy and self.policy not in POLICIES:
            errors.append(field_unsupported("propagationPolicy", self.policy, POLICIES))
        try:
            grace = int(raw.get("gracePeriodSeconds") or 0)
        except (TypeError, ValueError) as error:
            raise bad_request("gracePeriodSeconds must be a number") from error
        if grace < 0:
            errors.append(field_invalid("gracePeriodSeconds", grace, "must be greater than or equal to 0"))
        if errors:
            raise invalid_options("DeleteOptions", errors)


def _body(request: Request) -> Json:
    raw = decode_object(request.body) if request.content_type == PROTOBUF else parse_json(request.body)
    if not isinstance(raw, dict) or not isinstance(raw.get("preconditions") or {}, dict):
        raise bad_request("DeleteOptions must be an object")
    return raw


async def delete(context: Context, target: Target, request: Request, form: Form) -> Response:
    options = DeleteOptions.sent(request)
    record = existing(context, target)
    _require_preconditions(target, record, options)
    _protect(target)
    gone, body = await delete_record(context, target, record, options)
    if gone and not target.resource.strategy.returns_deleted:
        return json_response(200, _success(target, record))
    return Response(200, render(body, target, form))


async def delete_collection(context: Context, target: Target, request: Request, form: Form) -> Response:
    options = DeleteOptions.sent(request)
    matches = matcher_of(target, request.query)
    resource = target.resource
    records = list(snapshot(context.store, resource.id, target.namespace, context.store.version))
    chosen = [record for record in records if matches is None or matches(record)]
    for record in chosen:
        latest = context.store.latest(resource.id, record.key)
        if latest is not None:
            await delete_record(context, target, latest, options)
    bodies = [bytes_in(record, resource, target.version) for record in chosen]
    metadata = {"resourceVersion": str(context.store.version)}
    if resource.custom:
        metadata["continue"] = ""
    return Response(200, render_list(bodies, target, form, metadata, "Metadata"))


async def delete_record(context: Context, target: Target, record: Record, options: DeleteOptions) -> tuple[bool, bytes]:
    """(is it gone at once, the object as it was at its end or as it now waits for its finalizers)"""
    resource = target.resource
    obj = object_in(record, target)
    resource.strategy.mark_deleted(obj, HOLDING.get(options.policy, ""))
    if deletable(obj):
        if options.dry_run:
            return True, bytes_in(record, resource, target.version)
        removed = await context.store.remove(resource.id, record.decode(), record)
        return True, bytes_in(removed, resource, target.version)
    if record.deleting and obj == object_in(record, target):
        return False, bytes_in(record, resource, target.version)
    if options.dry_run:
        return False, encode(obj)
    stored = await context.store.put(resource.id, to_storage(obj, target), record)
    return False, bytes_in(stored, resource, target.version)


def _protect(target: Target) -> None:
    if target.resource.id == NAMESPACES and target.name in PROTECTED:
        raise forbidden("", "namespaces", target.name, "this namespace may not be deleted")


def _require_preconditions(target: Target, record: Record, options: DeleteOptions) -> None:
    resource = target.resource
    told = ""
    if options.uid is not None and options.uid != record.uid:
        told = f"Precondition failed: UID in precondition: {options.uid}, UID in object meta: {record.uid}"
    elif options.version is not None and options.version != str(record.rv):
        told = (
            f"Precondition failed: ResourceVersion in precondition: {options.version}, "
            f"ResourceVersion in object meta: {record.rv}"
        )
    if told:
        told_of = resource.plural if resource.strategy.precondition_names_plural else resource.kind
        raise conflict(resource.group, told_of, target.name, told)


def _success(target: Target, record: Record) -> Json:
    resource = target.resource
    details = {"name": record.name, "kind": resource.plural, "uid": record.uid}
    if resource.group:
        details = {"name": record.name, "group": resource.group, "kind": resource.plural, "uid": record.uid}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
