"""Starts the parts, starts again what dies (with back-off, and saying so), adopts what outlived a supervisor.

A plain loop without asyncio or threads: every part is forked from this one process, so that they share the memory
of all that was imported before."""

import contextlib
import gc
import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.child import become
from setpoint.installation import Installation, read_json
from setpoint.parts import Part
from setpoint.processes import Process, birth_of, process_of, write_process
from setpoint.settings import Settings

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 10.0
_GOOD_AFTER = 10.0
_STOP_SECONDS = 25.0
_WELL = "exit code 0"


@dataclass
class Supervised:
    """One part: its process (None while it is to be started at `due`), and how often it died in a row."""

    part: Part
    process: Process | None = None
    pidfd: int = -1
    since: float = 0.0
    due: float = 0.0
    failures: int = 0
    restarts: int = 0


@dataclass
class Supervisor:
    settings: Settings
    installation: Installation
    say: Callable[[str], None]
    inherited: list[int] = field(default_factory=list)
    parts: list[Supervised] = field(default_factory=list)
    stopping: bool = False

    def start(self, part: Part) -> None:
        """Take over the one that runs already, or start it."""
        supervised = Supervised(part)
        self.parts.append(supervised)
        running = self._running_already(part)
        if running is None:
            self._fork(supervised)
        else:
            self.say(f"{part.name} was still running (process {running.pid}) and goes on")
            self._watch(supervised, running)

    def end_former(self, parts: list[Part]) -> None:
        """Those that are parts no more: nobody else would end them, and what they run for others."""
        for part in parts:
            running = process_of(self.installation, part.name)
            if running:
                self.say(f"{part.name} is a part no more: it ends, with what it runs")
                _end(running)
            self._state(part).unlink(missing_ok=True)
            self._end_in_its_place(part)

    def _running_already(self, part: Part) -> Process | None:
        saved = read_json(self._state(part))
        if saved is None or saved.get("settings") != self.settings.fingerprint:
            if saved is not None:
                _end(Process(int(saved["pid"]), int(saved["started"])))
            return None
        process = Process(int(saved["pid"]), int(saved["started"]))
        return process if process.alive() else None

    def _state(self, part: Part) -> Path:
        return self.installation.run / f"{part.name}.json"

    def _fork(self, supervised: Supervised) -> None:
        part = supervised.part
        gc.freeze()
        pid = os.fork()
        if pid == 0:
            close = [*self.inherited, *(s.pidfd for s in self.parts if s.pidfd >= 0)]
            log = self.installation.run / f"{part.name}.log"
            settings, installation = self.settings, self.installation
            become(
                part.name,
                log,
                close,
                lambda: part.run(settings, installation),
                lambda: part.end(settings, installation),
            )
        self._watch(supervised, Process(pid, birth_of(pid) or 0))

    def _watch(self, supervised: Supervised, process: Process) -> None:
        supervised.process = process
        supervised.pidfd = os.pidfd_open(process.pid)
        supervised.since = time.monotonic()
        self._save(supervised)

    def _save(self, supervised: Supervised) -> None:
        assert supervised.process is not None
        write_process(
            self.installation,
            supervised.part.name,
            supervised.process.pid,
            restarts=supervised.restarts,
            settings=self.settings.fingerprint,
        )

    def turn(self, timeout: float) -> None:
        """Wait up to so many seconds for something to happen, and see to it."""
        now = time.monotonic()
        due = [s.due for s in self.parts if s.process is None]
        wait = max(0.0, min([timeout, *(when - now for when in due)]))
        poll = select.poll()
        for supervised in self.parts:
            if supervised.pidfd >= 0:
                poll.register(supervised.pidfd, select.POLLIN)
        with contextlib.suppress(InterruptedError):
            poll.poll(wait * 1000)
        for supervised in self.parts:
            self._look(supervised)

    def _look(self, supervised: Supervised) -> None:
        if supervised.process is None:
            if not self.stopping and time.monotonic() >= supervised.due:
                supervised.restarts += 1
                self._fork(supervised)
            return
        code = _exit_of(supervised.process)
        if code is None:
            return
        os.close(supervised.pidfd)
        supervised.process, supervised.pidfd = None, -1
        if not self.stopping:
            self._died(supervised, code)

    def _died(self, supervised: Supervised, code: str) -> None:
        lived = time.monotonic() - supervised.since
        supervised.failures = 1 if lived > _GOOD_AFTER else supervised.failures + 1
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (supervised.failures - 1))
        supervised.due = time.monotonic() + pause
        name = supervised.part.name
        log = self.installation.run / f"{name}.log"
        self.say(f"{name} ended ({code}) after {lived:.1f} s; starting it again in {pause:.1f} s (its log: {log})")

    def stop(self) -> None:
        """Ask each to end, last started first; the next is asked when the one before is gone."""
        self.stopping = True
        for supervised in reversed(self.parts):
            if supervised.process is None or not self._ends(supervised, supervised.process):
                self._end_in_its_place(supervised.part)
            self._state(supervised.part).unlink(missing_ok=True)

    def _ends(self, supervised: Supervised, process: Process) -> bool:
        """Has it ended what it ran for others, too: a node's instances, the router's HAProxy? (SIGTERM would not ask
        for that. One that is asked while it starts, or fails, has not.)"""
        process.signal(signal.SIGINT)
        how = self._end_of(supervised, process, _STOP_SECONDS)
        if how is None:
            self.say(f"{supervised.part.name} does not end: killing it")
            process.signal(signal.SIGKILL)
            self._end_of(supervised, process, 5.0)
        return how == _WELL

    def _end_in_its_place(self, part: Part) -> None:
        """What it ran for others does not outlive the installation, also when it could not end that itself."""
        log = self.installation.run / f"{part.name}.log"
        pid = os.fork()
        if pid == 0:
            become(f"{part.name}-end", log, self.inherited, lambda: part.end(self.settings, self.installation))
        os.waitpid(pid, 0)

    def _end_of(self, supervised: Supervised, process: Process, seconds: float) -> str | None:
        """In words; None: it lives after so many seconds."""
        until = time.monotonic() + seconds
        while (how := _exit_of(process)) is None and (left := until - time.monotonic()) > 0:
            poll = select.poll()
            poll.register(supervised.pidfd, select.POLLIN)
            poll.poll(left * 1000)
        return how


def _exit_of(process: Process) -> str | None:
    """How it ended, in words; None while it lives. One that is not our child (adopted) just is gone."""
    with contextlib.suppress(ChildProcessError):
        pid, status = os.waitpid(process.pid, os.WNOHANG)
        if pid == 0:
            return None
        code = os.waitstatus_to_exitcode(status)
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return None if process.alive() else "it is gone"


def _end(process: Process) -> None:
    """A part of an earlier start with other settings: ask it to end, and see to it."""
    process.signal(signal.SIGTERM)
    until = time.monotonic() + 10.0
    while process.alive():
        if time.monotonic() > until:
            process.signal(signal.SIGKILL)
        time.sleep(0.05)
