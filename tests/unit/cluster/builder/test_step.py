"""The end of a step: when it is over, nothing of it writes or listens any more."""

import asyncio
import contextlib
import os
from pathlib import Path

import pytest

from cluster.builder.step import run_sandboxed
from cluster.sandbox.machine import this_machine
from cluster.sandbox.processes import lock_free
from cluster.sandbox.view import View

_MANY = 600
"""So many that the kernel needs some time to end them."""
_SECONDS = f"7{os.getpid()}.5"
_LEAVE = f"for i in $(seq {_MANY}); do sleep {_SECONDS} >/dev/null 2>&1 & done; echo begun"


def _left() -> int:
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += path.read_bytes() == f"sleep\0{_SECONDS}\0".encode()
    return found


@pytest.mark.parametrize("end", ["by itself", "cancelled"])
async def test_all_that_it_started_has_ended_with_it(end: str, tmp_path: Path) -> None:
    begun, lock = asyncio.Event(), tmp_path / "lock"
    command = ["/bin/sh", "-c", _LEAVE + ("" if end == "by itself" else "; sleep 1000")]
    view = View(environment={"PATH": "/usr/bin:/bin"})
    for _ in range(4):
        begun.clear()
        step = asyncio.ensure_future(run_sandboxed(view, command, this_machine(), lambda *_: begun.set(), lock))
        async with asyncio.timeout(20):
            await begun.wait()
            if end == "cancelled":
                assert _left() > 0
                step.cancel()
            await asyncio.wait([step])
        assert _left() == 0
        assert lock_free(lock)
