"""Where the router's HAProxy listens (this machine) and where it runs (beside the instances)."""

import socket

from cluster.fabric.client import NoAnswer
from cluster.fabric.entry import Entry
from cluster.fabric.networks import Networks
from cluster.haproxy.process import CannotStart

_BACKLOG = 4096
SIBLINGS = "siblings.sock"
"""Beside the listener: for what instances call <name>.internal (see base.cfg)."""


class Doorway:
    """The listener is made here and inherited: where HAProxy runs, this machine's addresses are not."""

    def __init__(self, host: str, port: int, networks: Networks):
        self._address = (host, port)
        self._family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._networks = networks

    @property
    def place(self) -> str:
        host, port = self._address
        return f"{self._networks.description.id} {host} {port}"

    async def listener(self, *, beside: bool) -> socket.socket:
        """Shared only with a HAProxy of ours: a stranger's would take half of the requests without a word."""
        try:
            if not beside:
                self._bound(socket.SO_REUSEADDR).close()
            return self._bound(socket.SO_REUSEPORT)
        except OSError as error:
            host, port = self._address
            raise CannotStart(
                f"The router cannot listen on {host}:{port} ({error.strerror}). End what listens there, or choose "
                "another router port."
            ) from error

    def _bound(self, option: int) -> socket.socket:
        made = socket.socket(self._family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.setsockopt(socket.SOL_SOCKET, option, 1)
            made.bind(self._address)
            made.listen(_BACKLOG)
        except BaseException:
            made.close()
            raise
        return made

    async def entry(self) -> Entry | None:
        try:
            return await self._networks.entry()
        except NoAnswer as error:
            raise CannotStart(str(error)) from error
