"""Only one acts: hold the Lease while working, stop working when it is lost."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from crds.client.errors import ApiError
from crds.client.lease import LeaseHolder

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 0.5
# We stop that long before the others may take it: they count by their own clocks.
_MARGIN_SECONDS = 2.0


def _nothing() -> None:
    return


class Leadership:
    """Of one part: `renew_every` seconds the Lease is renewed while it is ours; `cut_off` is called each time the API
    server does not answer."""

    def __init__(self, lease: LeaseHolder, renew_every: float = 5.0, cut_off: Callable[[], None] = _nothing):
        self._lease = lease
        self._renew_every = renew_every
        self._cut_off = cut_off
        self._good_until = 0.0

    async def work(self, work: Callable[[], Awaitable[None]]) -> None:
        """Wait for the Lease, work while it is ours (cancelled when it no longer is), for ever. What the work raises
        is raised. The Lease is given up on the way out, so that the next one need not wait."""
        try:
            while True:
                while not await self._renew():
                    await asyncio.sleep(_RETRY_SECONDS)
                _log.info("leading")
                await self._work_until_lost(work)
        finally:
            await self._give_up()

    async def _work_until_lost(self, work: Callable[[], Awaitable[None]]) -> None:
        task = asyncio.ensure_future(work())
        keeper = asyncio.ensure_future(self._keep())
        try:
            await asyncio.wait({task, keeper}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for job in (task, keeper):
                job.cancel()
            results = await asyncio.gather(task, keeper, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _keep(self) -> None:
        """Returns when the Lease is somebody else's, or could not be renewed for as long as it lasts."""
        pause = self._renew_every
        while asyncio.get_running_loop().time() < self._good_until:
            await asyncio.sleep(pause)
            renewed = await self._renew()
            if renewed is False:
                _log.warning("the Lease is somebody else's now: stopping work")
                return
            pause = self._renew_every if renewed else _RETRY_SECONDS

    async def _renew(self) -> bool | None:
        """Whether it is ours; None when that could not be asked."""
        asked_at = asyncio.get_running_loop().time()
        try:
            ours = await self._lease.renew()
        except ApiError as error:
            _log.info("the Lease could not be renewed: %s", error)
            self._cut_off()
            return None
        if ours:
            self._good_until = asked_at + self._lease.seconds - _MARGIN_SECONDS
        return ours

    async def _give_up(self) -> None:
        try:
            async with asyncio.timeout(_MARGIN_SECONDS):
                await self._lease.release()
        except (ApiError, TimeoutError):
            return
