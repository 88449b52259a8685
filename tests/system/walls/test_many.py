"""Hundreds of instances made and removed leave nothing behind."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

from cluster.fabric.client import Keeper
from cluster.fabric.entry import inside
from cluster.fabric.networks import FabricNetworks, find_networks
from cluster.limits.allowance import Allowance
from cluster.limits.find import find_groups, installation_of
from cluster.limits.group import Groups
from cluster.sandbox.cell import Cell
from cluster.sandbox.identity import uid_of
from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.machine import this_machine
from cluster.sandbox.processes import wait_end
from cluster.sandbox.view import View
from tests.unit.cluster.fabric.conftest import WAYS, keeping

_ROUNDS, _AT_ONCE = 10, 50
_ALLOWANCE = Allowance(0.1, 1, 64 << 20, 64)


def _namespaces() -> set[str]:
    """Of every process on the machine, network and user."""
    found = set()
    for process in Path("/proc").iterdir():
        for kind in ("net", "user") if process.name.isdigit() else ():
            # Others come and go meanwhile.
            with contextlib.suppress(OSError):
                found.add(str((process / "ns" / kind).readlink()))
    return found


async def _links(keeper: Keeper) -> int:
    with await keeper.entry() as entry:
        process = await asyncio.create_subprocess_exec(
            *inside(entry, ["cat", "/proc/net/dev"]), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
    return len(out.splitlines()) - 2


def _uids(number: int) -> list[int | None]:
    """As root each is a user of its own."""
    names = [f"project-{number}-{place}" for place in range(_AT_ONCE)]
    return [uid_of("many", "acc-main", name) if os.geteuid() == 0 else None for name in names]


def _processes_of(users: set[int | None]) -> list[str]:
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and process.stat().st_uid in users:
                found.append(process.name)
    return found


def _groups_of(folder: Path) -> list[Path]:
    """Whatever they are called, the installation is in their names."""
    return list(Path("/sys/fs/cgroup").rglob(f"*{installation_of(folder)}*"))


async def _round(networks: FabricNetworks, groups: Groups, users: list[int | None]) -> set[str]:
    """Fifty of them at once; the addresses that they had."""
    reading, writing = os.pipe()
    places = [await networks.attach() for _ in range(_AT_ONCE)]
    cells = [
        Cell(place.entry, groups.make(f"many-{number}", _ALLOWANCE), uid=user)
        for number, (place, user) in enumerate(zip(places, users, strict=True))
    ]
    command, channels = ["/bin/sh", "-c", "echo runs; exec sleep 600"], Channels(writing, writing)
    try:
        pids = [spawn(View(), command, this_machine(), channels, cell) for cell in cells]
        os.close(writing)
        said = b""
        while said.count(b"runs") < _AT_ONCE:
            said += await asyncio.to_thread(os.read, reading, 4096)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            await wait_end(pid)
    finally:
        os.close(reading)
        for cell, place in zip(cells, places, strict=True):
            cell.leave()
            place.close()
    return {place.address for place in places}


async def test_five_hundred_instances_leave_nothing(tmp_path: Path) -> None:
    before = _namespaces()
    with keeping(tmp_path / "fabric", WAYS[0]):
        keeper = Keeper(tmp_path / "fabric")
        networks = await find_networks(tmp_path / "fabric")
        assert isinstance(networks, FabricNetworks)
        own = _namespaces() - before
        used: set[str] = set()
        users: set[int | None] = set()
        groups = find_groups(tmp_path, "node-1")
        for number in range(_ROUNDS):
            used |= await _round(networks, groups, _uids(number))
            users |= set(_uids(number))
        assert len(used) == _ROUNDS * _AT_ONCE
        async with asyncio.timeout(60):
            while await _links(keeper) > 1 or _namespaces() - before - own:
                await asyncio.sleep(0.1)
    async with asyncio.timeout(20):
        while _namespaces() - before or _groups_of(tmp_path) or _processes_of(users):
            # As an agent does that begins: the kernel counts a process as there for a moment after its end.
            groups.close()
            await asyncio.sleep(0.1)
