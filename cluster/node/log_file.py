"""One instance's log: JSON lines, size-limited by rotation, each with how far the spool file was read.

That position makes the log itself the memory of what was taken over: an agent that comes back goes on behind it, so
no line is lost or doubled.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from cluster.builder.log import MASK, masks
from cluster.node.clock import Stamps

LIMIT = 8 * 1024 * 1024
_TAIL = 256 * 1024
Line = dict[str, Any]


class LogFile:
    """The writer. Two files at most: the one being written and the one before it (`.1`)."""

    def __init__(self, path: Path, process: str, stamps: Stamps, limit: int = LIMIT):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = path
        self._process = process
        self._stamps = stamps
        self._limit = limit
        self._masked: list[str] = []
        cut_torn_line(path)
        self._file = path.open("ab", buffering=0)
        self._size = path.stat().st_size
        self.positions = _positions(path)
        for line in tail(path, 1):
            stamps.not_before(line["at"])

    def mask(self, secrets: list[str]) -> None:
        """From now on these values are not written."""
        self._masked = masks(secrets)

    def write(self, stream: str, line: str, position: int | None = None) -> Line:
        """`position`: offset in the stream's spool file after this line."""
        for secret in self._masked:
            line = line.replace(secret, MASK)
        entry: Line = {"at": self._stamps.next(), "process": self._process, "stream": stream, "line": line}
        if position is not None:
            entry["pos"] = position
            self.positions[stream] = position
        data = orjson.dumps(entry) + b"\n"
        if self._size + len(data) > self._limit:
            self._rotate()
        self._file.write(data)
        self._size += len(data)
        return entry

    def close(self) -> None:
        self._file.close()

    def _rotate(self) -> None:
        self._file.close()
        self.path.rename(self.path.with_suffix(".ndjson.1"))
        self._file = self.path.open("ab", buffering=0)
        # The first lines of the new file carry on where both streams stand.
        self._size = 0
        stand = {"at": self._stamps.next(), "process": self._process, "stream": "mark", "line": ""}
        for stream, position in self.positions.items():
            self._size += self._file.write(orjson.dumps({**stand, "of": stream, "pos": position}) + b"\n")


def cut_torn_line(path: Path) -> None:
    """A crash can leave half a line at the end: it is taken over from the spool once more."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = file.seek(0, 2)
        start = max(0, size - _TAIL)
        file.seek(start)
        data = file.read()
        if not data.endswith(b"\n"):
            file.truncate(start + data.rfind(b"\n") + 1)


def _positions(path: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in reversed(list(_lines(path))):
        stream = str(line.get("of") or line["stream"])
        if "pos" in line and stream not in found:
            found[stream] = line["pos"]
        if len(found) == 2:
            break
    return found


def _lines(path: Path) -> Iterator[Line]:
    if not path.exists():
        return
    for raw in path.read_bytes().splitlines():
        try:
            yield orjson.loads(raw)
        except orjson.JSONDecodeError:
            continue


def read_all(path: Path) -> Iterator[Line]:
    """Every line that is kept, oldest first."""
    for file in (path.with_suffix(".ndjson.1"), path):
        yield from (line for line in _lines(file) if line["stream"] != "mark")


def tail(path: Path, count: int) -> list[Line]:
    """The newest lines of the current file, oldest first."""
    if not path.exists():
        return []
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - _TAIL))
        found: list[Line] = []
        for raw in reversed(file.read().splitlines()):
            try:
                found.append(orjson.loads(raw))
            except orjson.JSONDecodeError:
                break
            if len(found) == count:
                break
    return found[::-1]
