"""Holding the Lease: who acts, and for how long without a fresh answer."""

import asyncio
import logging
from collections.abc import Callable

from cluster.scheduler.config import SchedulerConfig
from crds.client.client import Client
from crds.client.errors import ApiError
from crds.client.lease import LeaseHolder

_log = logging.getLogger(__name__)
LEASE = "scheduler"
_LEASE_SECONDS = 15
_RETRY_SECONDS = 1.0


async def lead(
    client: Client,
    config: SchedulerConfig,
    leading: asyncio.Event,
    begin: Callable[[], None],
    cut_off: Callable[[], None],
) -> None:
    """Renew the Lease for ever. `leading` is set while it is ours; `begin` is called when it becomes ours, `cut_off`
    each time the API server does not answer. Given up when cancelled, so that the next one need not wait."""
    holder = LeaseHolder(client, LEASE, config.identity, _LEASE_SECONDS)
    loop = asyncio.get_running_loop()
    renewed_at = -float(_LEASE_SECONDS)
    try:
        while True:
            asked_at = loop.time()
            try:
                ours = await holder.renew()
            except ApiError as error:
                _log.info("Lease %s: %s", LEASE, error)
                cut_off()
                # Ours until it ran out for the others, who count from when we asked for it.
                ours = leading.is_set() and asked_at - renewed_at < _LEASE_SECONDS - 2 * _RETRY_SECONDS
                _tell(ours, leading, begin)
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            renewed_at = asked_at if ours else renewed_at
            _tell(ours, leading, begin)
            await asyncio.sleep(config.renew_every if ours else _RETRY_SECONDS)
    finally:
        if leading.is_set():
            leading.clear()
            await _give_up(holder)


def _tell(ours: bool, leading: asyncio.Event, begin: Callable[[], None]) -> None:
    if ours and not leading.is_set():
        begin()
        leading.set()
    elif not ours:
        leading.clear()


async def _give_up(holder: LeaseHolder) -> None:
    try:
        async with asyncio.timeout(2):
            await holder.release()
    except (ApiError, TimeoutError) as error:
        _log.info("Lease %s not given up: %s", LEASE, error)
