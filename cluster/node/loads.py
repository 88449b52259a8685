"""What each process of this machine uses, as /proc has it."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")
"""Of CPU, in a second."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
_AVAILABLE = re.compile(r"^MemAvailable: +(\d+) kB$", re.MULTILINE)


class Load(NamedTuple):
    """One process: CPU ticks so far (with ended children), resident bytes (shared pages counted in full), seconds from
    the machine's start to its own, its threads, its session."""

    parent: int
    ticks: int
    resident: int
    begun: float = 0.0
    threads: int = 1
    session: int = 0


def read_loads() -> dict[int, Load]:
    """Every process of the machine, one small file each."""
    found: dict[int, Load] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            load = load_of(int(entry.name))
            if load:
                found[int(entry.name)] = load
    return found


def load_of(pid: int) -> Load | None:
    """None: there is no such process any more."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    rest = text[text.rfind(b")") + 2 :].split()
    ticks, begun = sum(map(int, rest[11:15])), int(rest[19]) / TICKS
    return Load(int(rest[1]), ticks, int(rest[21]) * _PAGE, begun, int(rest[17]), int(rest[3]))


def available_memory() -> int:
    """Bytes that this machine could still give."""
    found = _AVAILABLE.search(Path("/proc/meminfo").read_text())
    return int(found[1]) * 1024 if found else 0


def below(root: int, children: dict[int, list[int]]) -> list[int]:
    """The process and everything that it started."""
    found = [root]
    for pid in found:
        found += children.get(pid, ())
    return found


def proportional(pids: Iterable[int]) -> int:
    """Their memory with shared pages split among those that share them."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")), 0)
    return total
