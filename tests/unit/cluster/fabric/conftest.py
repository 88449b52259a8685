"""A keeper of its own for each test, as a process, in both ways: as root without, and with a user namespace."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from cluster.fabric.client import Keeper

ROOT = Path(__file__).parents[4]
_KEEPER = """
import asyncio, os, sys
from pathlib import Path
import cluster.fabric.network as network
import cluster.fabric.keeper as keeper
import cluster.fabric.nftables as words
ways = sys.argv[2].split()
if "user" in ways:
    network.os.geteuid = lambda: 1
if "unmetered" in ways:
    words._SET_OF_RULES |= 0x8000
if "nsenter" in ways:
    keeper.nsenter = lambda: None
if "unshare" in ways:
    def refuse():
        raise OSError(1, "a user namespace: Operation not permitted")
    network.namespaces.unshare_network = network.namespaces.unshare_user_and_network = refuse
from cluster.fabric.keeper import run
asyncio.run(run(Path(sys.argv[1])))
"""
WAYS = ["root", "user"] if os.geteuid() == 0 else ["user"]


@contextlib.contextmanager
def keeping(folder: Path, way: str) -> Iterator[subprocess.Popen[bytes]]:
    """A keeper at work there. As root it is told that it is not, to take the way of an ordinary user (`user`); or it is
    kept from what it needs: `nsenter`, `unshare`. `unmetered`: what it says of sets has a flag that no kernel knows,
    and is refused as by one that has no sets with a meter."""
    command = [sys.executable, "-c", _KEEPER, str(folder), way]
    process = subprocess.Popen(command, env={"PYTHONPATH": str(ROOT)})
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def keeper(tmp_path: Path, way: str) -> AsyncIterator[Keeper]:
    with keeping(tmp_path / "fabric", way):
        made = Keeper(tmp_path / "fabric")
        await made.describe()
        yield made
