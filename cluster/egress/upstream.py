"""Asking one of the machine's own name servers, from a port of its own for each question."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable

Ask = Callable[[str, int, bytes], Awaitable[bytes]]
"""Address and port of the name server, the question; its answer. Raises OSError, asyncio.IncompleteReadError."""
_LARGEST = 65535


async def ask_by_datagram(server: str, port: int, question: bytes) -> bytes:
    loop = asyncio.get_running_loop()
    family = socket.AF_INET6 if ipaddress.ip_address(server).version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as asking:
        asking.connect((server, port))
        await loop.sock_sendall(asking, question)
        return await loop.sock_recv(asking, _LARGEST)


async def ask_by_stream(server: str, port: int, question: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(server, port)
    try:
        writer.write(len(question).to_bytes(2) + question)
        return await reader.readexactly(int.from_bytes(await reader.readexactly(2)))
    finally:
        writer.close()
