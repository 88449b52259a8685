"""GET: one object or a list."""

from bisect import bisect_left
from collections.abc import Iterator

from cluster.apiserver.errors import ApiError, expired, not_found
from cluster.apiserver.http.request import Request
from cluster.apiserver.http.response import Response
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.output.negotiate import Form
from cluster.apiserver.output.render import include_of, render, render_list
from cluster.apiserver.storage.records import Record
from cluster.apiserver.storage.store import Store
from cluster.apiserver.types import Json, Key
from cluster.apiserver.verbs.context import Context
from cluster.apiserver.verbs.selectors import Matcher, matcher_of
from cluster.apiserver.verbs.versions import continue_token, page_of, parse_version, reach
from cluster.apiserver.verbs.views import all_bytes_in, bytes_in


async def get(context: Context, target: Target, request: Request, form: Form) -> Response:
    wanted = request.query.get("resourceVersion")
    if wanted:
        await reach(context.store, parse_version(wanted))
    return get_now(context, target, request, form)


def get_now(context: Context, target: Target, request: Request, form: Form) -> Response:
    resource = target.resource
    record = context.store.get(resource.id, (target.namespace, target.name))
    if record is None:
        raise not_found(resource.group, resource.plural, target.name)
    body = bytes_in(record, resource, target.version)
    if form.shape == "object":
        return Response(200, body)
    return Response(200, render(body, target, form, include_of(request, form)))


async def list_objects(context: Context, target: Target, request: Request, form: Form) -> Response:
    include = include_of(request, form)
    matches = matcher_of(target, request.query)
    page = await page_of(request, context.store)
    limit = int(request.query.get("limit") or 0)
    records, last, remaining = _select(context.store, target, page.version, page.after, matches, limit)
    metadata: Json = {"resourceVersion": str(page.version)}
    if last is not None:
        metadata["continue"] = continue_token(page.version, last)
        if matches is None and remaining:
            metadata["remainingItemCount"] = remaining
    elif target.resource.custom and form.shape == "object":
        metadata["continue"] = ""
    bodies = all_bytes_in(records, target.resource, target.version)
    return Response(200, render_list(bodies, target, form, metadata, include))


def _select(
    store: Store, target: Target, version: int, after: Key | None, matches: Matcher | None, limit: int
) -> tuple[list[Record], Key | None, int]:
    """(the page, the key to go on after or None on the last page, how many objects are left)"""
    found: list[Record] = []
    everything = snapshot(store, target.resource.id, target.namespace, version, after)
    if matches is None and not limit:
        return list(everything), None, 0
    for record in everything:
        if matches is not None and not matches(record):
            continue
        if limit and len(found) == limit:
            return found, found[-1].key, 1 + sum(1 for _ in everything)
        found.append(record)
    return found, None, 0


def snapshot(store: Store, resource: str, namespace: str, version: int, after: Key | None = None) -> Iterator[Record]:
    """The objects as they were at `version`, in key order. Raises 410 if that is too long ago."""
    table = store.table(resource)
    try:
        undo = store.state_at(resource, version)
    except ApiError as error:
        if after is None:
            raise
        told = (
            "The provided continue parameter is too old to display a consistent list result. You can start a new list "
            "without the continue parameter."
        )
        raise expired(told) from error
    if not undo:
        return table.scan(namespace, after)
    return _merged(table.records, table.keys, undo, namespace, after)


def _merged(
    records: dict[Key, Record], keys: list[Key], undo: dict[Key, Record | None], namespace: str, after: Key | None
) -> Iterator[Record]:
    wanted = sorted({*keys, *undo})
    start = bisect_left(wanted, (after[0], after[1] + "\0")) if after is not None else 0
    for key in wanted[start:]:
        if namespace and key[0] != namespace:
            continue
        record = undo[key] if key in undo else records[key]
        if record is not None:
            yield record
