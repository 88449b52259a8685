"""Leases: who leads, and who is alive. A reader judges by its own clock whether one ran out."""

from collections.abc import Callable
from datetime import UTC, datetime

from crds.client.client import Client
from crds.client.errors import AlreadyExists, Conflict, NotFound
from crds.models.core import Lease, LeaseSpec
from crds.models.record import Metadata
from crds.names import SYSTEM_NAMESPACE


def _utc_now() -> datetime:
    return datetime.now(UTC)


class LeaseHolder:
    """Takes and renews one Lease in the system namespace under one identity; it lasts `seconds` after each renewal."""

    def __init__(
        self,
        client: Client,
        name: str,
        identity: str,
        seconds: int = 15,
        now: Callable[[], datetime] = _utc_now,
    ):
        self._client = client
        self._name = name
        self._identity = identity
        self.seconds = seconds
        self._now = now

    async def renew(self) -> bool:
        """Renew it, or take it when it is free, ours, or ran out. False: somebody else has it."""
        try:
            lease = await self._client.get(Lease, self._name, SYSTEM_NAMESPACE)
        except NotFound:
            return await self._create()
        spec = lease.spec
        if spec.holder_identity not in (None, "", self._identity) and not expired(lease, self._now()):
            return False
        if spec.holder_identity != self._identity:
            spec.acquire_time = self._now()
            spec.lease_transitions = (spec.lease_transitions or 0) + 1
        spec.holder_identity = self._identity
        spec.lease_duration_seconds = self.seconds
        spec.renew_time = self._now()
        try:
            await self._client.replace(lease)
        except (Conflict, NotFound):
            return False
        return True

    async def _create(self) -> bool:
        now = self._now()
        lease = Lease(
            metadata=Metadata(name=self._name, namespace=SYSTEM_NAMESPACE),
            spec=LeaseSpec(
                holder_identity=self._identity,
                lease_duration_seconds=self.seconds,
                acquire_time=now,
                renew_time=now,
                lease_transitions=0,
            ),
        )
        try:
            await self._client.create(lease)
        except AlreadyExists:
            return False
        return True

    async def release(self) -> None:
        """Give it up, so that the next holder need not wait for it to run out."""
        try:
            lease = await self._client.get(Lease, self._name, SYSTEM_NAMESPACE)
            if lease.spec.holder_identity == self._identity:
                lease.spec.holder_identity = ""
                await self._client.replace(lease)
        except (NotFound, Conflict):
            return


def expired(lease: Lease, now: datetime) -> bool:
    """Nobody renewed it within its duration (which a Lease without one never had)."""
    if lease.spec.renew_time is None:
        return True
    return (now - lease.spec.renew_time).total_seconds() > (lease.spec.lease_duration_seconds or 0)
