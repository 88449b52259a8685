"""A real process that takes memory all at once, where nobody counts it."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.limits.group import NoGroup
from cluster.limits.metronome import Metronome
from cluster.node import usage
from cluster.node.restart import OUT_OF_MEMORY, Cause
from cluster.node.usage import Sampler
from tests.unit.cluster.node.stage import state_of

MIB = 1024 * 1024
HOG = "import sys\nsys.stdin.readline()\nx = bytearray(b'x' * (400 << 20))\nsys.stdin.readline()"


async def test_who_takes_much_at_once_is_found_before_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "_LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(usage, "_NEW_SECONDS", 3600.0)
    found: asyncio.Future[Cause] = asyncio.get_running_loop().create_future()
    looked = asyncio.Event()

    async def on_hog(cause: Cause) -> None:
        if not found.done():
            found.set_result(cause)

    hog = await asyncio.create_subprocess_exec(sys.executable, "-c", HOG, stdin=asyncio.subprocess.PIPE)
    sampler = Sampler(1.0, Metronome(tmp_path / "lock"), lambda _uid: 0)
    state = replace(state_of("one", "worker", ""), memory_bytes=100 * MIB)
    sampler.watch(state, hog.pid, on_hog, lambda _cause: looked.set(), NoGroup())
    running = asyncio.ensure_future(sampler.run())
    async with asyncio.timeout(20):
        await looked.wait()
        assert not found.done()
        assert hog.stdin is not None
        hog.stdin.write(b"\n")
        assert await found == OUT_OF_MEMORY
        hog.stdin.write(b"\n")
        await hog.wait()
    running.cancel()
