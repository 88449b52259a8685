import asyncio

import pytest

from tests.settled import left_open, settled

_MORE_THAN_THE_KERNEL_TAKES = bytes(50_000_000)


async def _read_all(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.read(1 << 20):
        pass
    writer.close()


async def test_what_is_still_closing_is_waited_for() -> None:
    server = await asyncio.start_server(_read_all, "127.0.0.1", 0)
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(_MORE_THAN_THE_KERNEL_TAKES)
    writer.close()
    server.close()
    assert "closing" in str(left_open(asyncio.get_running_loop()))
    await settled()
    assert left_open(asyncio.get_running_loop()) == []


async def test_what_nobody_closes_is_named() -> None:
    async with await asyncio.start_server(_read_all, "127.0.0.1", 0):
        with pytest.raises(AssertionError, match=r"left open: .*_accept_connection"):
            await settled(seconds=0)
