"""A reload, and a worker that it leaves behind and that ends while it is asked."""

import asyncio
from pathlib import Path

import pytest

from cluster.haproxy.admin import AdminSocket, NoAnswer, reload

PROCESSES = "#<PID> <type>\n1 master\n# workers\n3 worker\n# old workers\n{old}# programs\n\n"


class Master:
    """Speaks as HAProxy's master does; its old worker never answers. `stays`: it is there also after it was asked."""

    def __init__(self, stays: bool):
        self.stays = stays
        self.asked = 0
        self.over = asyncio.Event()
        self.tasks: list[asyncio.Task[None] | None] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.tasks.append(asyncio.current_task())
        command = (await reader.readline()).decode().strip()
        if command == "reload":
            writer.write(b"Success=1\n--\n")
        elif command == "show proc":
            old = "" if self.asked and not self.stays else "2 worker\n"
            writer.write(PROCESSES.format(old=old).encode())
        else:
            self.asked += 1
            await self.over.wait()
        writer.close()


@pytest.mark.parametrize("stays", [False, True])
async def test_an_old_worker_that_never_answers(tmp_path: Path, stays: bool) -> None:
    master = Master(stays)
    server = await asyncio.start_unix_server(master.answer, tmp_path / "master")
    async with asyncio.timeout(8):
        if stays:
            with pytest.raises(NoAnswer, match="worker 2"):
                await reload(AdminSocket(tmp_path, "master"))
        else:
            await reload(AdminSocket(tmp_path, "master"))
    assert master.asked == 1
    master.over.set()
    await asyncio.gather(*(task for task in master.tasks if task))
    server.close()
