"""Inside a forked part: its own session and log, then its coroutine until a signal ends it."""

import asyncio
import contextlib
import ctypes
import gc
import logging
import logging.handlers
import os
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NoReturn

import uvloop

_LOG_BYTES = 5 * 1024 * 1024
_PR_SET_NAME = 15
# With the records of a thousand projects a full collection takes a third of a second, in which nothing is answered: it
# comes a hundred times more rarely than by default (almost nothing here is garbage that only it finds).
_COLLECT = (5_000, 20, 50)


Main = Callable[[], Awaitable[None]]


def become(name: str, log: Path, close: list[int], main: Main, last: Main | None = None) -> NoReturn:
    """Never returns: runs `main` in a session of its own, exits 0 when it was asked to stop, 1 when it failed."""
    code = 1
    try:
        os.setsid()
        for descriptor in close:
            os.close(descriptor)
        ctypes.CDLL(None).prctl(_PR_SET_NAME, f"sp-{name}"[:15].encode(), 0, 0, 0)
        _redirect(log)
        set_up_logging(log)
        code = run_until_signal(main, last)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def run_until_signal(main: Main, last: Main | None = None) -> int:
    """Run it; SIGTERM and SIGINT cancel it, and after SIGINT (Ctrl-C, or the whole installation stops) comes `last`.
    0 when it ended or was asked to."""
    collect_rarely()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    with contextlib.suppress(asyncio.CancelledError), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_until_signal(main, last))
    return 0


def collect_rarely() -> None:
    """Of a process that holds records for long."""
    gc.set_threshold(*_COLLECT)


async def _until_signal(main: Main, last: Main | None) -> None:
    task = asyncio.ensure_future(_awaited(main))
    _signals.task = task
    take_signals()
    try:
        await task
    finally:
        if _signals.interrupted and last is not None:
            await last()


async def _awaited(main: Main) -> None:
    await main()


class _Signals:
    """Of this process, which runs one part only."""

    task: asyncio.Task[None] | None = None
    interrupted = False

    def take(self, number: signal.Signals) -> None:
        self.interrupted = self.interrupted or number == signal.SIGINT
        if self.task is not None:
            self.task.cancel()


_signals = _Signals()


def take_signals() -> None:
    """Have SIGTERM and SIGINT end this part; again after a library has taken them for itself."""
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _signals.take, number)


def set_up_logging(log: Path | None) -> None:
    """To the part's own file, which is kept short; to stderr where it was started by hand."""
    handler: logging.Handler
    if log is not None:
        handler = logging.handlers.RotatingFileHandler(log, maxBytes=_LOG_BYTES, backupCount=1)
    else:
        handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.root.handlers[:] = [handler]
    if logging.root.level != logging.INFO:
        set_log_levels()


def set_log_levels() -> None:
    """Once, before parts are forked: it walks over all loggers there are, and memory that is walked over is shared no
    more (a megabyte a part)."""
    logging.root.setLevel(logging.INFO)
    for noisy in ("kopf", "aiohttp.access", "uvicorn.access", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _redirect(log: Path) -> None:
    """What is printed (a crash, above all) goes beside the log; nothing is read from the terminal."""
    printed = log.with_suffix(".out")
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    if printed.exists() and printed.stat().st_size > _LOG_BYTES:
        flags |= os.O_TRUNC
    out = os.open(printed, flags, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.close(out)
    os.close(nothing)
