"""Thirty-two kept-alive connections that ask for the same thing again and again."""

import asyncio
import sys
import time
from typing import cast

import uvloop

CONNECTIONS = 32


class _Asker(asyncio.Protocol):
    """Sends the request, waits for as many bytes as the first answer had, sends again, until told to stop."""

    def __init__(self, request: bytes, answer_bytes: int):
        self._request = request
        self._want = answer_bytes
        self._left = answer_bytes
        self.answers = 0
        self.stopped = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one in all but name
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left <= 0:
            self.answers += 1
            self._left += self._want
            if not self.stopped:
                self._transport.write(self._request)

    def close(self) -> None:
        self._transport.abort()


async def rate(port: int, request: bytes, seconds: float) -> float:
    """Answers a second. Every answer must have the length of the first."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    await reader.readexactly(length)
    writer.close()
    loop = asyncio.get_running_loop()
    askers = [_Asker(request, len(head) + length) for _ in range(CONNECTIONS)]
    for asker in askers:
        await loop.create_connection(lambda asker=asker: asker, "127.0.0.1", port)  # type: ignore[misc]
    await asyncio.sleep(seconds / 4)
    before, begin = sum(asker.answers for asker in askers), time.perf_counter()
    await asyncio.sleep(seconds)
    counted, took = sum(asker.answers for asker in askers) - before, time.perf_counter() - begin
    for asker in askers:
        asker.stopped = True
        asker.close()
    return counted / took


if __name__ == "__main__":
    print(
        uvloop.run(rate(int(sys.argv[1]), sys.argv[2].encode().decode("unicode_escape").encode(), float(sys.argv[3])))
    )
