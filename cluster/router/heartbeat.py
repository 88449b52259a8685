"""The Lease `router`: that the router is alive, and where its figures are to be had."""

import asyncio
import logging
from datetime import UTC, datetime
from typing import Any

from crds.client.client import Client
from crds.client.errors import AlreadyExists, ApiError, NotFound
from crds.models.core import Lease, LeaseSpec
from crds.models.record import Metadata
from crds.names import SYSTEM_NAMESPACE

_log = logging.getLogger(__name__)
LEASE = "router"
ANNOTATION_ENDPOINT = "setpoint.dev/endpoint"
_LEASE_SECONDS = 15


async def beat(client: Client, identity: str, endpoint: str, every: float) -> None:
    """Renew it for ever. (That one driver acts at a time is ensured by its data folder's lock, not by this.)"""
    while True:
        try:
            await _renew(client, identity, endpoint)
        except ApiError as error:
            _log.info("Lease %s: %s", LEASE, error)
        await asyncio.sleep(every)


async def _renew(client: Client, identity: str, endpoint: str) -> None:
    spec = LeaseSpec(holder_identity=identity, lease_duration_seconds=_LEASE_SECONDS, renew_time=datetime.now(UTC))
    annotations = {ANNOTATION_ENDPOINT: endpoint}
    patch: dict[str, Any] = {"metadata": {"annotations": annotations}, "spec": spec.wire()}
    try:
        await client.patch(Lease, LEASE, SYSTEM_NAMESPACE, patch)
    except NotFound:
        metadata = Metadata(name=LEASE, namespace=SYSTEM_NAMESPACE, annotations=annotations)
        try:
            await client.create(Lease(metadata=metadata, spec=spec))
        except AlreadyExists:
            return
