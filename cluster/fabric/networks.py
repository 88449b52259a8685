"""The two ways in which what we run has a network: one of its own in the fabric, or, where that cannot stand, the
machine's, shared by all."""

import asyncio
import contextlib
import ipaddress
import random
import socket
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cluster.fabric.addresses import HOST_LOOPBACK
from cluster.fabric.client import Description, Keeper, NoAnswer
from cluster.fabric.entry import Entry

# Below the range from which the kernel takes ports for outgoing connections.
_FIRST, _LAST = 20000, 32000
_HOST = "127.0.0.1"
_REST_SECONDS = 60.0
_PATIENCE_SECONDS = 30.0
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class Place:
    """Where something is to run: the address at which it is reached, and the way in (None: no way, it is here). The
    entry is closed by its holder."""

    address: str
    entry: Entry | None

    def close(self) -> None:
        if self.entry is not None:
            self.entry.close()


class Networks(Protocol):
    """Raises OSError and `client.NoAnswer` where it asks the keeper."""

    @property
    def description(self) -> Description: ...

    @property
    def listen_host(self) -> str:
        """Where an instance is to listen so that it can be reached."""
        ...

    async def attach(self) -> Place:
        """For an instance."""
        ...

    async def room(self) -> Entry | None:
        """A network for a build, which nobody reaches."""
        ...

    def address_of(self, target: Address) -> Address:
        """Under which a build finds what this machine finds at `target`. Raises ValueError: under none."""
        ...

    async def entry(self) -> Entry | None:
        """To where instances are reached."""
        ...

    async def connect(self, address: str) -> socket.socket:
        """Connected to an instance."""
        ...

    def keep(self, address: str) -> None:
        """An adopted instance has it."""
        ...

    def release(self, address: str) -> None: ...


class FabricNetworks:
    """Everything has a network of its own."""

    listen_host = "0.0.0.0"  # noqa: S104 (of a network that holds nothing else)

    def __init__(self, keeper: Keeper, description: Description):
        self._keeper = keeper
        self.description = description

    async def attach(self) -> Place:
        return Place(*await self._keeper.attach("run"))

    async def room(self) -> Entry | None:
        """Waits for a keeper that begins anew: a build that was ordered is not to fail for that."""
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return (await self._keeper.attach("build"))[1]
            except NoAnswer:
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(0.1)

    def address_of(self, target: Address) -> Address:
        if target.is_loopback:
            return ipaddress.IPv4Address(HOST_LOOPBACK)
        if target.version == 6:
            raise ValueError("it has an IPv6 address only, and builds reach IPv4 alone.")
        return target

    async def entry(self) -> Entry | None:
        return await self._keeper.entry()

    async def connect(self, address: str) -> socket.socket:
        return await _connected(await self._keeper.new_socket(), address)

    def keep(self, address: str) -> None:
        """The kernel does."""

    def release(self, address: str) -> None:
        """The kernel does, when the last process of the network ends."""


class SharedNetwork:
    """Gives out ports of this machine that are free and that no other instance of this agent has, or had a short
    while ago: a router that has not heard of the end yet must not reach somebody else there."""

    listen_host = _HOST

    def __init__(self, description: Description | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.description = description or Description("shared", "", "", "")
        self._clock = clock
        self._taken: set[str] = set()
        self._resting: dict[str, float] = {}

    async def attach(self) -> Place:
        now = self._clock()
        self._resting = {address: until for address, until in self._resting.items() if until > now}
        for _ in range(1000):
            address = f"{_HOST}:{random.randint(_FIRST, _LAST)}"
            if address not in self._taken and address not in self._resting and _free(address):
                self._taken.add(address)
                return Place(address, None)
        raise OSError("No free port is left for instances on this machine.")

    async def room(self) -> Entry | None:
        return None

    def address_of(self, target: Address) -> Address:
        return target

    async def entry(self) -> Entry | None:
        return None

    async def connect(self, address: str) -> socket.socket:
        return await _connected(socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK), address)

    def keep(self, address: str) -> None:
        self._taken.add(address)

    def release(self, address: str) -> None:
        self._taken.discard(address)
        self._resting[address] = self._clock() + _REST_SECONDS


@contextlib.asynccontextmanager
async def a_room(networks: Networks) -> AsyncIterator[Entry | None]:
    """A network for what runs meanwhile."""
    room = await networks.room()
    try:
        yield room
    finally:
        if room is not None:
            room.close()


async def find_networks(folder: Path | None) -> Networks:
    """As the keeper in that folder says; None: there is none, everything shares the machine's network."""
    if folder is None:
        return SharedNetwork()
    keeper = Keeper(folder)
    description = await keeper.describe()
    if description.network == "fabric":
        return FabricNetworks(keeper, description)
    return SharedNetwork(description)


def endpoint_of(address: str) -> tuple[str, int]:
    """Host and port to connect to."""
    host, _, port = address.rpartition(":")
    return host, int(port)


async def _connected(fresh: socket.socket, address: str) -> socket.socket:
    try:
        await asyncio.get_running_loop().sock_connect(fresh, endpoint_of(address))
    except BaseException:
        fresh.close()
        raise
    return fresh


def _free(address: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(endpoint_of(address))
        except OSError:
            return False
    return True
