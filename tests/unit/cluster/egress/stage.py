"""The way out at work: a real keeper, a real HAProxy, services on this machine, and programs inside that connect."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator

from cluster.egress import driver
from cluster.egress.config import EgressConfig
from cluster.egress.own_addresses import own_addresses
from cluster.fabric.addresses import HOST_LOOPBACK
from cluster.fabric.client import Keeper
from cluster.fabric.entry import Entry, inside
from cluster.fabric.watch import FabricChanged

_TALK = """
import socket, sys
for word in sys.argv[1:]:
    host, port = word.split(":")
    with socket.socket() as s:
        s.settimeout(5)
        try:
            s.connect((host, int(port)))
            s.sendall(b"hello\\n")
            print(s.recv(100).decode().strip() or "nothing", flush=True)
        except OSError:
            print("nothing", flush=True)
"""


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while line := await reader.readline():
            writer.write(b"echo " + line)
            await writer.drain()
    writer.close()


@contextlib.asynccontextmanager
async def running(config: EgressConfig) -> AsyncIterator["asyncio.Task[None]"]:
    task = asyncio.ensure_future(driver.run(config))
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, FabricChanged, ExceptionGroup):
            await task


async def told(entry: Entry | None, program: str, *arguments: str) -> list[str]:
    """The lines that it prints."""
    command = inside(entry, [sys.executable, "-c", program, *arguments])
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    return (await process.communicate())[0].decode().split("\n")[:-1]


async def said(entry: Entry | None, *places: str) -> list[str]:
    """What comes back from each place (host:port)."""
    return await told(entry, _TALK, *places)


@contextlib.asynccontextmanager
async def service(host: str = "127.0.0.1") -> AsyncIterator[int]:
    server = await asyncio.start_server(_echo, host, 0)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()


async def up(keeper: Keeper, config: EgressConfig) -> Entry:
    """A build's network, once the way out is there."""
    _, entry = await keeper.attach("build")
    async with service() as port:
        place = f"{HOST_LOOPBACK}:{port}"

        async def works() -> bool:
            return await said(entry, place) == ["echo hello"]

        async with asyncio.timeout(20):
            while not await works():
                await asyncio.sleep(0.05)
    return entry


def own_address() -> str:
    """Of this machine, beside its loopback: where tests let it be reached it stands for one of the internet."""
    own = next((str(address) for address in own_addresses() if not address.is_loopback), None)
    assert own, "this machine has no address beside its loopback"
    return own
