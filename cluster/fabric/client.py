"""Asking the keeper, from outside."""

import asyncio
import logging
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster.fabric import wire
from cluster.fabric.addresses import Purpose
from cluster.fabric.entry import Entry

_log = logging.getLogger(__name__)
_ANSWER_SECONDS = 10.0
_PAUSE_SECONDS = 0.02
_TRIES_UNTIL_SAID = 250


class NoAnswer(Exception):
    """The keeper is not there, or refuses; the message says what."""


@dataclass(frozen=True)
class Description:
    """`network`: `fabric` or `shared`; `id` tells one fabric from the next; where it cannot stand, why, and the one
    line that would allow it (empty: none is known)."""

    network: str
    id: str
    reason: str
    remedy: str


class Keeper:
    """One question, one connection: nothing to keep alive, nothing to notice when the keeper begins anew."""

    def __init__(self, folder: Path):
        self._folder = folder

    async def describe(self) -> Description:
        """Waits until the keeper is there."""
        tries = 0
        while True:
            try:
                said, passed = await self._ask("describe")
            except NoAnswer as error:
                tries += 1
                if tries % _TRIES_UNTIL_SAID == 0:
                    _log.warning("%s Is the part `fabric` running?", error)
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            wire.close_all(passed)
            return Description(str(said["network"]), str(said["id"]), str(said["reason"]), str(said["remedy"]))

    async def entry(self) -> Entry:
        """Into the fabric itself. Raises NoAnswer."""
        _, passed = await self._ask("entry")
        return Entry(passed[0], passed[1] if len(passed) > 1 else None)

    async def attach(self, purpose: Purpose) -> tuple[str, Entry]:
        """A new network, for a `run` or a `build`: the address at which what runs in it is reached, and the way in.
        Raises NoAnswer."""
        said, passed = await self._ask(f"attach {purpose}")
        return str(said["address"]), Entry(passed[0], passed[1] if len(passed) > 1 else None)

    async def new_socket(self) -> socket.socket:
        """A TCP socket that reaches instances. Raises NoAnswer."""
        _, passed = await self._ask("socket")
        return socket.socket(fileno=passed[0])

    async def egress_listener(self) -> socket.socket:
        """Where all TCP that instances send ends. Raises NoAnswer."""
        _, passed = await self._ask("egress")
        return socket.socket(fileno=passed[0])

    async def names_listeners(self) -> tuple[socket.socket, socket.socket]:
        """Where instances ask for names: datagrams, and streams. Raises NoAnswer."""
        _, passed = await self._ask("names")
        return socket.socket(fileno=passed[0]), socket.socket(fileno=passed[1])

    async def until_gone(self) -> None:
        """Returns when the keeper of this moment ends (at once when there is none)."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                connection = await self._connected()
        except (OSError, TimeoutError):
            return
        with connection:
            await _readable(connection)

    async def _ask(self, what: str) -> tuple[dict[str, Any], list[int]]:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                with await self._connected() as connection:
                    wire.send(connection, {"do": what})
                    await _readable(connection)
                    heard = wire.receive(connection)
        except (OSError, TimeoutError, wire.Unreadable) as error:
            raise NoAnswer(f"The keeper of the fabric does not answer ({error}).") from error
        if heard is None:
            raise NoAnswer("The keeper of the fabric ended before it answered.")
        if "error" in heard[0]:
            wire.close_all(heard[1])
            raise NoAnswer(f"The keeper of the fabric refuses: {heard[0]['error']}")
        return heard

    async def _connected(self) -> socket.socket:
        connection = wire.new_socket()
        try:
            with wire.short_path(self._folder, wire.SOCKET) as path:
                await asyncio.get_running_loop().sock_connect(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


async def _readable(connection: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def on_ready() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(connection, on_ready)
    try:
        await ready
    finally:
        loop.remove_reader(connection)
