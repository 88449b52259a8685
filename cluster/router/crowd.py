"""Projects that have as many requests open at once as one may: what is more is answered with 503, and it is said."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection, Mapping

from cluster.haproxy.admin import AdminSocket, NoAnswer, read_info
from cluster.lasting import Lasting
from cluster.router.admin import read_open
from cluster.router.plan import Key

_LOOK_SECONDS = 2.0
_AFTER_SECONDS = 3.0
# Some end just when we look, and others take their place.
_NEARLY_ALL = 0.95


class Crowd:
    """`owners`: slot -> Route's key, as the driver keeps it; `share`: requests and connections that one project may
    have open. `changed` is called with the Routes of which something else is to be said."""

    def __init__(
        self, admin: AdminSocket, owners: Mapping[str, Key], share: int, changed: Callable[[Collection[Key]], None]
    ):
        self._admin = admin
        self._owners = owners
        self._share = share
        self._changed = changed
        self._lasting = Lasting[Key](lambda _: _AFTER_SECONDS)
        self._crowded: frozenset[Key] = frozenset()

    def message(self, key: Key) -> str:
        """Empty: its requests are let in."""
        if key not in self._crowded:
            return ""
        return (
            f"It has {self._share} requests open at once, as many as one project may have: more are answered with 503."
        )

    async def look_for_ever(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            with contextlib.suppress(NoAnswer, TimeoutError):
                await self.look(time.monotonic())

    async def look(self, now: float) -> None:
        """Raises NoAnswer and TimeoutError: it is as it was."""
        full = await self._full()
        before, self._crowded = self._crowded, self._lasting.look(full, now)
        if before != self._crowded:
            self._changed(before ^ self._crowded)

    async def _full(self) -> set[Key]:
        many = _NEARLY_ALL * self._share
        # One number, as long as all projects together have fewer open than one of them may.
        if (await read_info(self._admin)).connections < many:
            return set()
        found = await read_open(self._admin)
        return {self._owners[slot] for slot, count in found.items() if count >= many and slot in self._owners}
