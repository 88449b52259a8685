"""Runs the programs of a control plane, and ends when one of them does: whoever supervises us starts them all again."""

import asyncio
import contextlib
import ctypes
import os
import signal
import ssl
import urllib.request
from collections.abc import Callable
from pathlib import Path

from cluster.controlplane.commands import PlaneConfig, api_server, controllers, etcd

_PR_SET_PDEATHSIG = 1
_READY_SECONDS = 90.0
_END_SECONDS = 10.0
_libc = ctypes.CDLL(None)


class PlaneEnded(Exception):
    """One of the programs has ended; the message says which, and how."""


async def run(config: PlaneConfig) -> None:
    """Until cancelled. What each program says goes to this process' own output."""
    started: dict[str, asyncio.subprocess.Process] = {}
    try:
        for name, command in (("etcd", etcd(config)), ("kube-apiserver", api_server(config))):
            started[name] = await _start(config.folder, command)
        await _until_ready(config, started)
        started["kube-controller-manager"] = await _start(config.folder, controllers(config))
        raise await _ended(started)
    finally:
        await _end(started)


async def _start(folder: Path, command: list[str]) -> asyncio.subprocess.Process:
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(folder)}
    return await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdin=asyncio.subprocess.DEVNULL, env=environment, preexec_fn=_end_with_us
    )


def _end_with_us() -> None:
    """They must not outlive this process, also when it is killed: the next one could not have their ports."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


async def _until_ready(config: PlaneConfig, started: dict[str, asyncio.subprocess.Process]) -> None:
    ended = asyncio.ensure_future(_ended(started))
    ready = asyncio.ensure_future(_poll(lambda: _answers(config)))
    try:
        await asyncio.wait({ended, ready}, timeout=_READY_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            raise ended.result()
        if not ready.done():
            raise PlaneEnded(f"the API server was not ready within {_READY_SECONDS:.0f} s")
    finally:
        ended.cancel()
        ready.cancel()


async def _poll(look: Callable[[], bool]) -> None:
    while not await asyncio.to_thread(look):
        await asyncio.sleep(0.1)


def _answers(config: PlaneConfig) -> bool:
    context = ssl.create_default_context(cafile=str(config.authority))
    with (
        contextlib.suppress(OSError),
        urllib.request.urlopen(f"https://127.0.0.1:{config.port}/readyz", context=context, timeout=2) as answer,
    ):
        return bool(answer.status == 200)
    return False


async def _ended(started: dict[str, asyncio.subprocess.Process]) -> PlaneEnded:
    """The first one that does, as what is to be raised."""
    waiting = {asyncio.ensure_future(process.wait()): name for name, process in started.items()}
    try:
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        first = done.pop()
        return PlaneEnded(f"{waiting[first]} ended with {first.result()}")
    finally:
        for waiter in waiting:
            waiter.cancel()


async def _end(started: dict[str, asyncio.subprocess.Process]) -> None:
    """The last one first: etcd has had all writes when it goes."""
    for process in reversed(started.values()):
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _END_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
