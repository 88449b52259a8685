"""A project that is full is told from one that was full for a moment, by what HAProxy says."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from cluster.haproxy.admin import AdminSocket
from cluster.router.crowd import Crowd
from cluster.router.plan import Key

SHOP, BLOG = ("acc-main", "shop"), ("acc-main", "blog")
OWNERS = {"slot-1": SHOP, "slot-2": BLOG}
SHARE = 100


class Counts:
    """Plays HAProxy: what is open, by slot, and what it was asked."""

    def __init__(self) -> None:
        self.open: dict[str, int] = {}
        self.asked: list[str] = []

    @asynccontextmanager
    async def answering(self, folder: Path) -> AsyncIterator[AdminSocket]:
        async with await asyncio.start_unix_server(self._answer, folder / "admin"):
            yield AdminSocket(folder, "admin")

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = (await reader.read(-1)).decode().strip()
        self.asked.append(question)
        rows = "".join(f"{slot},BACKEND,{count},\n" for slot, count in self.open.items())
        info = f"Pid: 1\nCurrConns: {sum(self.open.values())}\n"
        writer.write((info if "info" in question else f"# pxname,svname,scur,\n{rows}\n").encode())
        writer.close()


async def test_it_is_said_when_it_lasts_and_until_it_is_over(tmp_path: Path) -> None:
    counts, changed = Counts(), list[Collection[Key]]()
    async with counts.answering(tmp_path) as admin:
        crowd = Crowd(admin, OWNERS, SHARE, changed.append)
        counts.open = {"slot-1": SHARE, "slot-2": SHARE // 2, "slot-3": SHARE}
        await crowd.look(0.0)
        assert (crowd.message(SHOP), changed) == ("", []), "a moment is not worth a word"
        await crowd.look(4.0)
        assert (changed, crowd.message(BLOG)) == ([{SHOP}], "")
        assert f"{SHARE} requests" in crowd.message(SHOP)
        counts.open = {}
        await crowd.look(20.0)
        assert crowd.message(SHOP), "it may be back"
        await crowd.look(35.0)
        assert (crowd.message(SHOP), changed) == ("", [{SHOP}, {SHOP}])


async def test_each_project_is_looked_at_only_while_one_of_them_can_be_full(tmp_path: Path) -> None:
    counts = Counts()
    async with counts.answering(tmp_path) as admin:
        counts.open = {"slot-1": SHARE // 2}
        await Crowd(admin, OWNERS, SHARE, lambda _: None).look(0.0)
    assert counts.asked == ["show info"]
