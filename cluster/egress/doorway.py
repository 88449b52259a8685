"""Where the way out's HAProxy listens (inside the fabric) and where it runs (on this machine)."""

import socket

from cluster.fabric.client import Keeper, NoAnswer
from cluster.fabric.entry import Entry
from cluster.haproxy.process import CannotStart


class Doorway:
    """All TCP of the fabric is led to the listener that the keeper makes there."""

    def __init__(self, keeper: Keeper, fabric: str):
        self._keeper = keeper
        self.place = fabric

    async def listener(self, *, beside: bool) -> socket.socket:
        """The keeper's listeners share their port always: the one before is about to end."""
        del beside
        try:
            return await self._keeper.egress_listener()
        except NoAnswer as error:
            raise CannotStart(str(error)) from error

    async def entry(self) -> Entry | None:
        return None
