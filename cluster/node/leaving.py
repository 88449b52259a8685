"""Waiting until no traffic comes to an instance any more."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from cluster.node.folder import RunState
from crds.models.instance import Instance
from crds.names import FINALIZER_ROUTER

_MORE_SECONDS = 15.0


async def wait_for_traffic(look: Callable[[], Instance | None], changed: asyncio.Event, state: RunState) -> None:
    """Returns when the router has taken its finalizer off (or the record is gone), or when it had time enough: the
    drain and 15 s after the deletion."""
    while (seconds := seconds_left(look(), state)) > 0:
        changed.clear()
        try:
            await asyncio.wait_for(changed.wait(), seconds)
        except TimeoutError:
            return


def seconds_left(record: Instance | None, state: RunState, now: datetime | None = None) -> float:
    """How long the router may still take; 0 when it is done."""
    if record is None or FINALIZER_ROUTER not in record.metadata.finalizers:
        return 0.0
    deleted = record.metadata.deletion_timestamp
    if deleted is None:
        return 0.0
    passed = ((now or datetime.now(UTC)) - deleted).total_seconds()
    return max(0.0, state.drain_seconds + _MORE_SECONDS - passed)
