"""Which nodes are alive, judged by our own clock: how long ago a Lease was last SEEN to be renewed."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from crds.client.lease import expired
from crds.models.core import Lease

NODE_LEASE_PREFIX = "node-"


def node_of(lease: Lease) -> str | None:
    """The node whose heartbeat this Lease is; None for any other Lease. A node's name is what follows the prefix."""
    if not lease.name.startswith(NODE_LEASE_PREFIX):
        return None
    return lease.name.removeprefix(NODE_LEASE_PREFIX)


class Liveness:
    """A clock for each node, started anew by each renewal that is seen; no polling.

    `still_silent(node)` is asked when a clock ran out: only an answer that comes fresh from the API server, and says
    that nothing was renewed, makes a node lost (our own watch may be what is broken). `changed(node)` is called
    when a node is lost and when it is back."""

    def __init__(
        self,
        seconds: float,
        still_silent: Callable[[str], Awaitable[bool]],
        changed: Callable[[str], None],
    ):
        self._seconds = seconds
        self._still_silent = still_silent
        self._changed = changed
        self._renewals: dict[str, datetime | None] = {}
        self._clocks: dict[str, asyncio.TimerHandle] = {}
        self._checks: dict[str, asyncio.Task[None]] = {}
        self._alive: set[str] = set()
        self._lost: set[str] = set()

    def lost(self, node: str) -> bool:
        """It did not renew its Lease for so long (or never had one). A node first heard of now starts its clock."""
        if node not in self._renewals:
            self._renewals[node] = None
            self._start(node)
        return node in self._lost

    def alive(self, node: str) -> bool:
        """It is not lost, and gave a sign of life since we look: a renewal that was seen, or a fresh one at first."""
        return not self.lost(node) and node in self._alive

    def seen(self, node: str, lease: Lease) -> None:
        """Its Lease is as given; a renewal time other than before is a sign of life."""
        renewal, before = lease.spec.renew_time, self._renewals.get(node)
        if renewal is None or before == renewal:
            return
        self._renewals[node] = renewal
        self._start(node)
        # At first sight the Lease may be an old one of a dead node: wait for its next renewal, unless it looks fresh.
        if before is None and expired(lease, datetime.now(UTC)):
            return
        was_alive = node in self._alive
        self._lost.discard(node)
        self._alive.add(node)
        if not was_alive:
            self._changed(node)

    def start_over(self) -> None:
        """We were cut off ourselves: no node can be blamed for what we could not see."""
        for node in list(self._clocks):
            self._start(node)

    def close(self) -> None:
        for clock in self._clocks.values():
            clock.cancel()
        for check in self._checks.values():
            check.cancel()

    def _start(self, node: str) -> None:
        if node in self._clocks:
            self._clocks[node].cancel()
        self._clocks[node] = asyncio.get_running_loop().call_later(self._seconds, self._ran_out, node)

    def _ran_out(self, node: str) -> None:
        if node not in self._lost:
            self._checks[node] = asyncio.create_task(self._check(node))

    async def _check(self, node: str) -> None:
        renewal = self._renewals.get(node)
        silent = await self._still_silent(node)
        if self._renewals.get(node) != renewal:
            return
        if not silent:
            self._start(node)
            return
        self._lost.add(node)
        self._alive.discard(node)
        self._changed(node)
