"""Processes by id and birth: so that a number that was used again is never mistaken for ours."""

import json
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from setpoint.installation import Installation, read_json, write_file


@dataclass(frozen=True)
class Process:
    """`started` is field 22 of /proc/PID/stat: clock ticks since boot."""

    pid: int
    started: int

    def alive(self) -> bool:
        return birth_of(self.pid) == self.started

    def signal(self, number: signal.Signals) -> None:
        """Send it, if it still is that very process."""
        if self.alive():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    def uptime_seconds(self) -> float:
        ticks = os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - self.started / ticks


def write_process(installation: Installation, name: str, pid: int, **more: object) -> None:
    """Where the others find it: `DIR/run/<name>.json`."""
    state = {"pid": pid, "started": birth_of(pid) or 0, **more}
    write_file(installation.run / f"{name}.json", json.dumps(state))


def process_of(installation: Installation, name: str) -> Process | None:
    """The process that was written down under this name, if it lives."""
    saved = read_json(installation.run / f"{name}.json")
    if saved is None:
        return None
    process = Process(int(saved["pid"]), int(saved["started"]))
    return process if process.alive() else None


def birth_of(pid: int) -> int | None:
    """None when there is no such process, or only its remains."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else int(fields[19])


def pss_bytes(pid: int) -> int:
    """Memory that is its own plus its part of what is shared; 0 when it cannot be read."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    line = next((line for line in text.splitlines() if line.startswith("Pss:")), "Pss: 0 kB")
    return int(line.split()[1]) * 1024


def children_of(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]
