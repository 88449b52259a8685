"""How many sessions are counted in an answer that is cut off anywhere: as many as in the whole one, or none is told."""

import asyncio
from pathlib import Path

import pytest

from cluster.haproxy.admin import AdminSocket, NoAnswer
from cluster.router.admin import read_sessions

WHOLE = "# pxname,svname,qcur,qmax,scur,smax,\nslot-1,shop-0,0,0,2,3,\nslot-1,shop-1,0,0,,1,\n\n"
COUNTED = {"shop-0": 2, "shop-1": 0}


@pytest.mark.parametrize("size", range(1, len(WHOLE) + 1))
async def test_a_cut_off_answer(tmp_path: Path, size: int) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(-1)
        writer.write(WHOLE[:size].encode())
        writer.close()

    server = await asyncio.start_unix_server(answer, tmp_path / "admin")
    async with server:
        try:
            found = await read_sessions(AdminSocket(tmp_path, "admin"), "slot-1")
        except NoAnswer:
            assert size < len(WHOLE)
        else:
            # Of nothing but a piece of the first line it cannot be told from a sentence, of which there are some.
            assert found == COUNTED if "," in WHOLE[:size] else found == {}
