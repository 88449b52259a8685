"""Reads HAProxy's request log: datagrams on a unix socket that only this user can write to.

HAProxy never waits for us: what we do not read in time is lost, and that is all right for a sample."""

import asyncio
import os
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LOG_SOCKET = "log.sock"
_BUFFER = 4 * 1024 * 1024
_MOST_AT_ONCE = 256
# Up to so many requests a second, one line stands for so many.
_SAMPLED = ((100, 1), (2_000, 10), (10_000, 100))
_LINE = re.compile(rb"(s[0-9]{5}) (-?\d+) (-?\d+) (-?\d+) (-?\d+) (\d{1,9})")


@dataclass(frozen=True)
class Line:
    """`milliseconds`: from the request's end until its answer's head; `weight`: how many requests it stands for."""

    slot: str
    milliseconds: int
    weight: int


def parse(data: bytes) -> Line | None:
    """None for what was not answered by a project, or never began to be."""
    match = _LINE.fullmatch(data.strip())
    if match is None:
        return None
    status, queue, connect, answer = (int(match[n]) for n in range(2, 6))
    # 101 is a web socket: its time is not one of a request. -1: it never came that far.
    if min(queue, connect, answer) < 0 or status == 101 or status <= 0:
        return None
    return Line(match[1].decode(), queue + connect + answer, _stands_for(int(match[6])))


def _stands_for(rate: int) -> int:
    """As base.cfg samples at this many requests a second."""
    return next((weight for most, weight in _SAMPLED if rate <= most), 1000)


class RequestLog:
    """`take` is called for each line, in the event loop."""

    def __init__(self, folder: Path, take: Callable[[Line], None]):
        self._take = take
        self._socket = _bound(folder)
        asyncio.get_running_loop().add_reader(self._socket, self._read)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    def _read(self) -> None:
        for _ in range(_MOST_AT_ONCE):
            try:
                data = self._socket.recv(512)
            except BlockingIOError:
                return
            line = parse(data)
            if line is not None:
                self._take(line)


def _bound(folder: Path) -> socket.socket:
    """By way of the open folder, since the path of a unix socket has 107 characters at most."""
    (folder / LOG_SOCKET).unlink(missing_ok=True)
    opened = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
        receiver.bind(f"/proc/self/fd/{opened}/{LOG_SOCKET}")
        (folder / LOG_SOCKET).chmod(0o600)
        return receiver
    finally:
        os.close(opened)
