"""The metronome: one process a core while it is wanted, one metronome for all nodes, none after its node."""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from cluster.limits.metronome import Metronome
from tests.unit.cluster.eventually import eventually

_PR_SET_CHILD_SUBREAPER = 36


@pytest.fixture
async def metronome(tmp_path: Path) -> AsyncIterator[Metronome]:
    metronome = Metronome(tmp_path / "lock")
    yield metronome
    await metronome.end()


def parents() -> dict[int, int]:
    """Of every process."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    return found


def of(lock: Path) -> dict[int, int]:
    """Pid and parent of each process of the metronomes with this lock."""
    found = {}
    for pid, parent in parents().items():
        with contextlib.suppress(OSError):
            if str(lock).encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                found[pid] = parent
    return found


def cores_of(lock: Path) -> list[set[int]]:
    """Of those that beat."""
    processes = of(lock)
    return sorted((os.sched_getaffinity(pid) for pid, parent in processes.items() if parent in processes), key=min)


def each_core() -> list[set[int]]:
    return [{core} for core in sorted(os.sched_getaffinity(0))]


async def test_it_beats_on_every_core_while_somebody_gives_way(metronome: Metronome, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    await metronome.follow(False)
    assert of(lock) == {}
    await metronome.follow(True)
    await eventually(lambda: cores_of(lock) == each_core())
    before = set(of(lock))
    await metronome.follow(True)
    assert set(of(lock)) == before
    await metronome.follow(False)
    await eventually(lambda: of(lock) == {})


@pytest.fixture
def inheriting() -> Iterator[None]:
    """Processes whose parent went are ours."""
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def left_to_us() -> set[int]:
    """That nobody waits for."""
    return {pid for pid, parent in parents().items() if parent == os.getpid()}


@pytest.mark.usefixtures("inheriting")
async def test_it_leaves_nobody_to_be_waited_for(metronome: Metronome, tmp_path: Path) -> None:
    before = left_to_us()
    await metronome.follow(True)
    await eventually(lambda: cores_of(tmp_path / "lock") == each_core())
    await metronome.end()
    assert left_to_us() <= before


async def test_one_that_died_is_started_again(metronome: Metronome, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    await metronome.follow(True)
    await eventually(lambda: cores_of(lock) == each_core())
    before = of(lock)
    os.kill(next(parent for parent in before.values() if parent in before), signal.SIGKILL)
    await eventually(lambda: not set(before) & set(of(lock)))

    async def again() -> bool:
        await metronome.follow(True)
        return cores_of(lock) == each_core()

    async with asyncio.timeout(20):
        while not await again():
            await asyncio.sleep(0.02)


async def test_two_nodes_have_one_between_them(metronome: Metronome, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    other = Metronome(lock)
    await metronome.follow(True)
    await eventually(lambda: cores_of(lock) == each_core())
    await other.follow(True)
    await eventually(lambda: len(of(lock)) == len(each_core()) + 2)
    first = set(of(lock))
    await metronome.end()
    await eventually(lambda: cores_of(lock) == each_core() and not set(of(lock)) >= first)
    await other.end()
    await eventually(lambda: of(lock) == {})


async def test_it_ends_with_a_node_that_is_killed(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    program = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom cluster.limits.metronome import Metronome\n"
        "async def main():\n    metronome = Metronome(Path(sys.argv[1]))\n    await metronome.follow(True)\n"
        "    print('beats', flush=True)\n    await asyncio.sleep(600)\nasyncio.run(main())"
    )
    command = [sys.executable, "-c", program, str(lock)]
    node = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert node.stdout is not None
    assert await node.stdout.readline() == b"beats\n"
    await eventually(lambda: len(of(lock)) == len(each_core()) + 2)
    node.kill()
    await node.wait()
    await eventually(lambda: of(lock) == {})
