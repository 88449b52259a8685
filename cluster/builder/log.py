"""A build's log: one append-only file of JSON lines, numbered from 1 without a gap, with known secrets masked."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import orjson

Stream = Literal["stdout", "stderr", "system"]
MASK = "********"
_SHORTEST_SECRET = 4


class OutputLimit(Exception):
    """The build said more than its log may hold."""


class BuildLog:
    """One writer; opened anew for each attempt, going on where the last one stopped."""

    def __init__(self, path: Path, limit: int, secrets: Iterable[str] = ()):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        whole = _whole_lines(path)
        self._seq = whole.count(b"\n")
        self._left = limit
        self._masked = masks(secrets)
        self._file = path.open("ab", buffering=0)
        self._file.truncate(len(whole))
        self.changed = asyncio.Event()
        self.closed = False

    def system(self, line: str) -> None:
        """A line of our own: about progress, and how long it took. Always fits."""
        self._write("system", line)

    def output(self, stream: Stream, line: str) -> None:
        """Raises OutputLimit."""
        self._left -= len(line) + 1
        if self._left < 0:
            raise OutputLimit
        self._write(stream, line)

    def _write(self, stream: Stream, line: str) -> None:
        for secret in self._masked:
            line = line.replace(secret, MASK)
        self._seq += 1
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._file.write(orjson.dumps({"seq": self._seq, "at": at, "stream": stream, "line": line}) + b"\n")
        self._wake()

    def close(self) -> None:
        """The build is over: followers read what is left and end."""
        self.closed = True
        self._file.close()
        self._wake()

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


def masks(secrets: Iterable[str]) -> list[str]:
    """What to look for: each line of each value, longest first, so that no part of one is left standing."""
    lines = {line for secret in secrets for line in (secret, *secret.splitlines())}
    return sorted((line for line in lines if len(line) >= _SHORTEST_SECRET), key=len, reverse=True)


def _whole_lines(path: Path) -> bytes:
    """What is there, without a last line that a crash cut off."""
    data = path.read_bytes() if path.exists() else b""
    return data[: data.rfind(b"\n") + 1]


async def read_log(path: Path, first: int, live: BuildLog | None) -> AsyncIterator[bytes]:
    """Lines as they are in the file, from number `first` on. With the live log: also those still to come."""
    with path.open("rb") as file:
        rest = b""
        while True:
            changed, closed = (live.changed, live.closed) if live else (None, True)
            while data := file.read(256 * 1024):
                lines = (rest + data).split(b"\n")
                rest = lines.pop()
                for line in lines:
                    if _number(line) >= first:
                        yield line + b"\n"
            if closed or changed is None:
                return
            await changed.wait()


def _number(line: bytes) -> int:
    head = line[: line.find(b",")]
    return int(head[head.rfind(b":") + 1 :]) if head.startswith(b'{"seq":') else 0


def last_lines(path: Path, count: int) -> list[dict[str, Any]]:
    """The newest lines of a log that is over."""
    return [orjson.loads(line) for line in _whole_lines(path).splitlines()[-count:]]
