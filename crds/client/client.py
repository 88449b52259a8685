"""Typed requests: records in, records out."""

import logging
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from crds.client.transport import Transport
from crds.models.record import Record

_log = logging.getLogger(__name__)
R = TypeVar("R", bound=Record)

MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
JSON_PATCH = "application/json-patch+json"
_PAGE = 2000


class Client:
    """The Kubernetes API for one writer; `manager` names it in managedFields."""

    def __init__(self, transport: Transport, manager: str):
        self.transport = transport
        self.manager = manager

    @classmethod
    async def open(cls, kubeconfig: Path, manager: str) -> "Client":
        return cls(await Transport.open(kubeconfig, manager), manager)

    async def close(self) -> None:
        await self.transport.close()

    async def get(self, model: type[R], name: str, namespace: str | None = None) -> R:
        return model.parse(await self.transport.request("GET", model.resource.path(namespace, name)))

    async def list(
        self, model: type[R], namespace: str | None = None, labels: str | None = None
    ) -> tuple[list[R], str]:
        """All records (page by page), and the resource version from which to watch on."""
        items: list[R] = []
        query: dict[str, Any] = {"limit": _PAGE}
        if labels:
            query["labelSelector"] = labels
        while True:
            page = await self.transport.request("GET", model.resource.path(namespace), query=query)
            parsed = (parse_or_skip(model, item) for item in page.get("items") or [])
            items += [record for record in parsed if record is not None]
            token = page["metadata"].get("continue")
            if not token:
                return items, page["metadata"]["resourceVersion"]
            query["continue"] = token

    async def create(self, record: R) -> R:
        """Raises AlreadyExists. The status is not sent: it is the writer of the status' business."""
        body = record_body(record)
        path = record.resource.path(record.metadata.namespace)
        answer = await self.transport.request("POST", path, query=self._manager(), body=body)
        return type(record).parse(answer)

    async def replace(self, record: R) -> R:
        """PUT with the record's resource version. Raises Conflict when somebody was quicker."""
        path = record.resource.path(record.metadata.namespace, record.name)
        answer = await self.transport.request("PUT", path, query=self._manager(), body=record_body(record))
        return type(record).parse(answer)

    async def apply(
        self, model: type[R], body: dict[str, Any], *, force: bool = False, manager: str | None = None
    ) -> R:
        """Server-side apply of the fields in `body` (metadata.name, and namespace where there is one).

        Raises Conflict with causes when another manager owns one of them and `force` is off."""
        meta = body["metadata"]
        full = {"apiVersion": model.resource.api_version, "kind": model.resource.kind, **body}
        query = {"fieldManager": manager or self.manager, "force": "true" if force else "false"}
        path = model.resource.path(meta.get("namespace"), meta["name"])
        answer = await self.transport.request("PATCH", path, query=query, body=full, content_type=APPLY_PATCH)
        return model.parse(answer)

    async def patch(
        self,
        model: type[R],
        name: str,
        namespace: str | None,
        patch: dict[str, Any],
        *,
        subresource: str = "",
    ) -> R:
        """Merge patch; put `metadata.resourceVersion` in it to be told of a concurrent edit (Conflict)."""
        path = model.resource.path(namespace, name) + (f"/{subresource}" if subresource else "")
        answer = await self.transport.request(
            "PATCH", path, query=self._manager(), body=patch, content_type=MERGE_PATCH
        )
        return model.parse(answer)

    async def patch_status(self, record: R, status: dict[str, Any]) -> R:
        """Merge these fields (null removes) into the status, if the record is still the version we looked at."""
        patch = {"metadata": {"resourceVersion": record.metadata.resource_version}, "status": status}
        return await self.patch(type(record), record.name, record.metadata.namespace, patch, subresource="status")

    async def delete(self, model: type[R], name: str, namespace: str | None = None, *, uid: str | None = None) -> None:
        """Ask for its end (background cascade). With `uid`: only if it still is that very one, else Conflict."""
        options: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
        }
        if uid:
            options["preconditions"] = {"uid": uid}
        await self.transport.request("DELETE", model.resource.path(namespace, name), body=options)

    async def remove_finalizer(self, record: R, finalizer: str) -> R:
        """Take ours off, if it is there and the record is still the version we looked at."""
        left = [f for f in record.metadata.finalizers if f != finalizer]
        patch = {"metadata": {"resourceVersion": record.metadata.resource_version, "finalizers": left or None}}
        return await self.patch(type(record), record.name, record.metadata.namespace, patch)

    def _manager(self) -> dict[str, str]:
        return {"fieldManager": self.manager}


def parse_or_skip(model: type[R], data: dict[str, Any]) -> R | None:
    """The record, or None for one that this version does not understand: one such must not stop all others."""
    try:
        return model.parse(data)
    except ValidationError as error:
        meta = data.get("metadata") or {}
        where = f"{model.resource.kind} {meta.get('namespace', '')}/{meta.get('name', '')}"
        fields = sorted({".".join(str(part) for part in problem["loc"]) for problem in error.errors()})
        _log.error("%s is not as this version knows it, and is left alone: %s", where, ", ".join(fields))
        return None


def record_body(record: Record) -> dict[str, Any]:
    """The record as the main resource takes it: without a status."""
    body = record.wire()
    body.pop("status", None)
    return body
