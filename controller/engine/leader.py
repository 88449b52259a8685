"""Only one acts: hold the Lease while working, stop working when it is lost."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from crds.client.errors import ApiError
from crds.client.lease import LeaseHolder

_log = logging.getLogger(__name__)
_RENEW_SECONDS = 5.0
_LEASE_SECONDS = 15.0


async def while_leading(lease: LeaseHolder, work: Callable[[], Awaitable[None]]) -> None:
    """Wait for the Lease, work while it is ours, for ever. It is given up on the way out."""
    try:
        while True:
            await _acquire(lease)
            _log.info("leading")
            await _work_until_lost(lease, work)
    finally:
        await _give_up(lease)


async def _acquire(lease: LeaseHolder) -> None:
    while not await _renew(lease):
        await asyncio.sleep(0.5)


async def _work_until_lost(lease: LeaseHolder, work: Callable[[], Awaitable[None]]) -> None:
    task = asyncio.ensure_future(work())
    keeper = asyncio.ensure_future(_keep(lease))
    try:
        await asyncio.wait({task, keeper}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for job in (task, keeper):
            job.cancel()
        results = await asyncio.gather(task, keeper, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result


async def _keep(lease: LeaseHolder) -> None:
    """Returns when the Lease is somebody else's, or could not be renewed for as long as it lasts."""
    loop = asyncio.get_running_loop()
    good_until = loop.time() + _LEASE_SECONDS
    while loop.time() < good_until:
        await asyncio.sleep(_RENEW_SECONDS)
        try:
            if not await lease.renew():
                _log.warning("the Lease is somebody else's now: stopping work")
                return
            good_until = loop.time() + _LEASE_SECONDS
        except ApiError as error:
            _log.info("the Lease could not be renewed: %s", error)


async def _renew(lease: LeaseHolder) -> bool:
    try:
        return await lease.renew()
    except ApiError as error:
        _log.info("waiting for the state store: %s", error)
        return False


async def _give_up(lease: LeaseHolder) -> None:
    try:
        async with asyncio.timeout(1.0):
            await lease.release()
    except (ApiError, TimeoutError):
        return
