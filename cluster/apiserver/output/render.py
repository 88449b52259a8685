"""One object or a list of them, in the form that was negotiated."""

from collections.abc import Sequence

import orjson

from cluster.apiserver.errors import bad_request
from cluster.apiserver.http.request import Request
from cluster.apiserver.kinds.model import Target
from cluster.apiserver.output.negotiate import Form
from cluster.apiserver.output.table import INCLUDES, table
from cluster.apiserver.types import Json


def render(body: bytes, target: Target, form: Form, include: str = "Metadata") -> bytes:
    """`body` is the encoded object in the version that was asked for."""
    if form.shape == "object":
        return body
    obj = orjson.loads(body)
    if form.shape == "metadata":
        return orjson.dumps(partial(obj, form.version))
    head = {"resourceVersion": obj["metadata"].get("resourceVersion", "")}
    return orjson.dumps(table([obj], target, form.version, head, include))


def render_list(bodies: Sequence[bytes], target: Target, form: Form, metadata: Json, include: str) -> bytes:
    """`bodies` are copied as they are into a plain list."""
    resource = target.resource
    if form.shape == "object":
        head = {"apiVersion": target.api_version, "kind": resource.list_kind, "metadata": metadata}
        if not resource.strategy.list_items_typed:
            cut = len(type_prefix(target))
            bodies = [b"{" + body[cut:] for body in bodies]
        return _joined(orjson.dumps(head)[:-1] + b',"items":[', bodies, b"]}")
    objects = [orjson.loads(body) for body in bodies]
    if form.shape == "metadata":
        items = [partial(obj, form.version) for obj in objects]
        kind = "PartialObjectMetadataList"
        return orjson.dumps(
            {"kind": kind, "apiVersion": f"meta.k8s.io/{form.version}", "metadata": metadata, "items": items}
        )
    return orjson.dumps(table(objects, target, form.version, metadata, include))


def _joined(start: bytes, bodies: Sequence[bytes], end: bytes) -> bytes:
    """In one copy: lists are megabytes."""
    if not bodies:
        return start + end
    pieces = list(bodies)
    pieces[0] = start + pieces[0]
    pieces[-1] += end
    return b",".join(pieces)


def type_prefix(target: Target) -> bytes:
    """How every encoded object of a kind begins, up to its metadata."""
    return orjson.dumps({"apiVersion": target.api_version, "kind": target.resource.kind})[:-1] + b","


def partial(obj: Json, version: str = "v1") -> Json:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": obj["metadata"],
    }


def include_of(request: Request, form: Form) -> str:
    """The includeObject option of a Table. Raises 400 for an unknown one."""
    include = request.query.get("includeObject") or "Metadata"
    if form.shape == "table" and include not in INCLUDES:
        raise bad_request(f"unrecognized includeObject value: {include!r}")
    return include
