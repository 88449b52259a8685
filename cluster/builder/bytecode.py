"""Compiling an environment's Python files after the build: a release need not wait for it, its next start gains.

Instances see their environment read-only and could never keep what they compile themselves.
"""

import asyncio
import logging
from pathlib import Path

from cluster.builder.log import Stream
from cluster.builder.ownership import owner_of
from cluster.builder.step import run_sandboxed
from cluster.builder.workshop import Workshop
from cluster.sandbox.cell import Cell
from cluster.sandbox.machine import interpreter_mounts
from cluster.sandbox.view import Limits, Mount, View

_log = logging.getLogger(__name__)
_SECONDS = 300.0
# The release that waits for this environment starts first.
_AFTER_SECONDS = 1.0
_running: set[asyncio.Task[None]] = set()


def compile_later(workshop: Workshop, environment: Path) -> None:
    """In the background, politely; the files are added to the environment in place."""
    task = asyncio.ensure_future(_compile(workshop, environment))
    _running.add(task)
    task.add_done_callback(_running.discard)


async def finish_compiling() -> None:
    """End what still runs: the agent stops."""
    for task in list(_running):
        task.cancel()
    await asyncio.gather(*_running, return_exceptions=True)


async def _compile(workshop: Workshop, environment: Path) -> None:
    python = workshop.python.resolve()
    mounts = (*interpreter_mounts(python), Mount(environment, "/env/python", "bind"))
    # -I -S: nothing that a package left in the environment runs here.
    command = [str(python), "-I", "-S", "-m", "compileall", "-q", "/env/python/lib"]
    await asyncio.sleep(_AFTER_SECONDS)
    try:
        async with asyncio.timeout(_SECONDS):
            view = View(mounts, {"PATH": "/usr/bin:/bin"}, limits=Limits(niceness=19), offline=True)
            await run_sandboxed(view, command, workshop.machine, _nothing, cell=Cell(uid=owner_of(environment)))
    except (TimeoutError, OSError) as error:
        _log.info("compiling %s: %s", environment, error)


def _nothing(_stream: Stream, _line: str) -> None:
    """A file that cannot be compiled says so when it is imported."""
