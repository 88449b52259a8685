"""Waiting for what a test closed to be closed.

Closing a transport only begins its end. Under TLS the peer has to answer first, which takes as long as the peer is
busy, and neither aiohttp's server nor its sessions wait for connections that they no longer keep. A loop that is closed
before leaves the socket to the garbage collector, whose warning fails whichever test happens to run then."""

import asyncio
import time

_SECONDS = 15.0


def left_open(loop: asyncio.AbstractEventLoop) -> list[str]:
    """Each socket, pipe and server that the loop still serves, as a failed test shows it."""
    # The loop has no other way to be asked: paused sockets are not in its selector, pipes not among its transports.
    own = loop._ssock.fileno()  # type: ignore[attr-defined]
    served = loop._selector.get_map().values()  # type: ignore[attr-defined]
    transports = list(loop._transports.values())  # type: ignore[attr-defined]
    waited_for = {key.fd: f"{key.data}" for key in served if key.fd != own}
    sockets = {fd: f"{each}" for each in transports if (fd := each.get_extra_info("socket").fileno()) >= 0}
    return [*(waited_for | sockets).values()]


async def settled(seconds: float = _SECONDS) -> None:
    loop, until = asyncio.get_running_loop(), time.monotonic() + seconds
    while found := left_open(loop):
        assert time.monotonic() < until, f"left open: {found}"
        await asyncio.sleep(0.005)
    # What has left the selector closes its socket in the next round, and tells its protocol in the one after.
    await asyncio.sleep(0)
    await asyncio.sleep(0)
