"""From spool files to logs: nothing lost, nothing doubled, bounded, in order, followed."""

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cluster.node.clock import Stamps
from cluster.node.folder import Folders, InstanceFolder, RunState
from cluster.node.log_file import Line, LogFile, read_all
from cluster.node.log_query import LogQuery, follow, history
from cluster.node.logs import Logs
from tests.unit.cluster.eventually import eventually
from tests.unit.cluster.node.stage import state_of

QUERY = LogQuery("acc-test", "shop")


class Place:
    """Logs of a node, and instances that write."""

    def __init__(self, root: Path):
        self.root = root
        self.folders = Folders(root)
        self.logs = Logs(root)
        self.task = asyncio.ensure_future(self.logs.run())

    def open(self, uid: str, process: str = "web") -> tuple[RunState, InstanceFolder]:
        state, folder = state_of(uid, process, "127.0.0.1:1"), self.folders.of(uid)
        folder.write(state)
        self.logs.open(state, folder)
        return state, folder

    async def close(self) -> None:
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task
        self.logs.close()

    async def said(self, query: LogQuery = QUERY) -> list[str]:
        return [line["line"] async for line in history(self.logs, query)]


def write(folder: InstanceFolder, text: str, stream: str = "stdout") -> None:
    with folder.spools[stream].open("ab") as file:
        file.write(text.encode())


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(tmp_path)
    yield made
    await made.close()


async def test_lines_arrive_by_themselves_and_survive_the_agent(place: Place, tmp_path: Path) -> None:
    state, folder = place.open("u1")
    write(folder, "one\ntwo\nthr")
    path = place.logs.path(state)
    await eventually(lambda: len(list(read_all(path))) == 2)
    await place.close()
    write(folder, "ee\nfour\n")
    again = Place(tmp_path)
    again.open("u1")
    assert await again.said() == ["one", "two", "three", "four"]
    again.logs.forget("u1")
    await again.close()


async def test_a_program_may_open_its_output_anew(place: Place) -> None:
    state, folder = place.open("u1")
    expected: list[str] = []

    async def all_there(*lines: str) -> None:
        expected.extend(lines)
        await eventually(lambda: [line["line"] for line in read_all(place.logs.path(state))] == expected)

    write(folder, "before, and long enough\n")
    await all_there("before, and long enough")
    folder.spools["stdout"].write_text("after\n")  # as a shell's `> /dev/stdout` does it
    await all_there("after")
    write(folder, "and on\n")
    await all_there("and on")


async def test_a_torn_line_of_a_crash_is_taken_over_again(place: Place, tmp_path: Path) -> None:
    state, folder = place.open("u1")
    write(folder, "one\ntwo\n")
    path = place.logs.path(state)
    await eventually(lambda: len(list(read_all(path))) == 2)
    await place.close()
    os.truncate(path, path.stat().st_size - 5)
    again = Place(tmp_path)
    again.open("u1")
    assert await again.said() == ["one", "two"]
    await again.close()


async def test_consumed_space_is_given_back_and_floods_are_cut(place: Place) -> None:
    state, folder = place.open("u1")
    for _ in range(40):
        write(folder, ("y" * 999 + "\n") * 100)
        await asyncio.sleep(0)
    spool = folder.spools["stdout"]
    await eventually(lambda: place.logs._tails["u1"].log.positions.get("stdout") == spool.stat().st_size)
    assert spool.stat().st_blocks * 512 < 1024 * 1024 < spool.stat().st_size
    write(folder, ("z" * 999 + "\n") * 9000)
    await eventually(lambda: place.logs._tails["u1"].log.positions.get("stdout") == spool.stat().st_size)
    said = await place.said(LogQuery("acc-test", "shop", limit=10_000))
    assert any("dropped" in line for line in said)
    assert said[-1] == "z" * 999
    assert state.uid == "u1"


async def test_a_flood_takes_no_room_while_its_reader_rests(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a flood that went on through a longer and longer rest there was a gigabyte and more."""
    monkeypatch.setattr("cluster.node.logs._REST", 1_000_000)
    _, folder = place.open("u1")
    spool = folder.spools["stdout"]
    for _ in range(2):
        write(folder, ("z" * 999 + "\n") * 9000)
        await eventually(lambda: spool.stat().st_blocks * 512 < 1024 * 1024)


def test_a_log_is_rotated_and_remembers_where_it_stood(tmp_path: Path) -> None:
    path = tmp_path / "x.ndjson"
    log = LogFile(path, "web", Stamps(), limit=2000)
    log.write("stderr", "early", 7)
    for number in range(100):
        log.write("stdout", f"line {number}", number)
    log.close()
    assert path.stat().st_size < 2200
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["x.ndjson", "x.ndjson.1"]
    again = LogFile(path, "web", Stamps(), limit=2000)
    assert again.positions == {"stdout": 99, "stderr": 7}
    again.close()
    lines = list(read_all(path))
    assert lines[-1]["line"] == "line 99"
    assert all(line["stream"] != "mark" for line in lines)


async def test_many_instances_are_merged_by_time_and_a_cursor_resumes(place: Place) -> None:
    folders = [place.open(f"u{number}", "web" if number % 2 else "worker")[1] for number in range(4)]
    for number in range(30):
        write(folders[number % 4], f"{number}\n")
    await eventually(lambda: sum(len(list(read_all(p))) for p in place.logs.root.rglob("*.ndjson")) == 30)
    lines = [line async for line in history(place.logs, QUERY)]
    assert [line["at"] for line in lines] == sorted({line["at"] for line in lines})
    cursor = lines[9]["cursor"]
    rest = [line async for line in history(place.logs, LogQuery("acc-test", "shop", after=cursor))]
    assert rest == lines[10:]
    newest = [line async for line in history(place.logs, LogQuery("acc-test", "shop", limit=3))]
    assert newest == lines[-3:]
    some = [line async for line in history(place.logs, LogQuery("acc-test", "shop", process="web"))]
    assert {line["process"] for line in some} == {"web"}
    assert await place.said(LogQuery("acc-test", "other")) == []


async def test_a_follower_sees_the_past_and_the_future_once(place: Place) -> None:
    _, folder = place.open("u1")
    write(folder, "0\n1\n")
    found: list[Line] = []

    async def read() -> None:
        async for line in follow(place.logs, QUERY):
            found.append(line)

    reader = asyncio.ensure_future(read())
    for number in range(2, 60):
        write(folder, f"{number}\n")
        await asyncio.sleep(0)
    place.open("u2")
    write(place.folders.of("u2"), "other\n")
    await eventually(lambda: len(found) == 61)
    assert [line["line"] for line in found if line["line"] != "other"] == [str(number) for number in range(60)]
    reader.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await reader


async def test_marked_secrets_are_not_written(place: Place) -> None:
    _, folder = place.open("u1")
    place.logs.mask("u1", ["hunter22"])
    write(folder, "password is hunter22\n")
    await eventually(lambda: any(place.logs.root.rglob("*.ndjson")))
    place.logs.flush("u1")
    assert await place.said() == ["password is ********"]


async def test_an_instance_may_be_forgotten_in_the_middle_of_a_flood(place: Place) -> None:
    loop = asyncio.get_running_loop()
    _, folder = place.open("u1")
    forgotten = asyncio.Event()

    def on_line(_name: str, _line: Line) -> None:
        if not forgotten.is_set():
            forgotten.set()
            loop.call_soon(place.logs.forget, "u1")

    place.logs.subscribe("acc-test", "shop", on_line)
    write(folder, "x" * 99 + "\n" + ("y" * 99 + "\n") * 30_000)
    await asyncio.wait_for(forgotten.wait(), 10)
    state, other = place.open("u2")
    write(other, "still read\n")
    await eventually(lambda: place.logs.path(state).exists() and "still read" in place.logs.path(state).read_text())
    assert not place.task.done()


# Faster than anybody reads, and an end, should nobody end it.
FLOOD = "import os, sys\nfor _ in range(100_000): os.write(1, (b'f' * 99 + b'\\n') * 10_000)"


async def test_a_flood_keeps_nobody_else_waiting_and_takes_a_part_of_the_agents_core_only(place: Place) -> None:
    flooding, flooded = place.open("u1")
    quiet, folder = place.open("u2")
    with flooded.spools["stdout"].open("ab") as out:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", FLOOD, stdout=out)
    try:
        await eventually(lambda: "dropped" in place.logs.path(flooding).read_text())
        used, begun = time.process_time(), time.monotonic()
        for number in range(20):
            write(folder, f"line {number}\n")
            await eventually(lambda: place.logs.path(quiet).read_text().count("line") > number, 5)  # noqa: B023
        assert process.returncode is None, "it floods"
        assert time.process_time() - used < 0.6 * (time.monotonic() - begun)
    finally:
        process.kill()
        await process.wait()
