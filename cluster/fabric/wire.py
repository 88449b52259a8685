"""How the keeper is asked: one JSON object in each direction a question, descriptors beside the answer."""

import array
import contextlib
import json
import os
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

SOCKET = "keeper.sock"
MOST_BYTES = 4096
_MOST_DESCRIPTORS = 4


class Unreadable(Exception):
    """What came is no such message."""


@contextlib.contextmanager
def short_path(folder: Path, name: str) -> Iterator[str]:
    """By way of the open folder, since the path of a unix socket has 107 characters at most."""
    opened = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{opened}/{name}"
    finally:
        os.close(opened)


def new_socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)


def send(to: socket.socket, said: dict[str, Any], descriptors: Iterable[int] = ()) -> None:
    """Small enough to fit at once."""
    passed = array.array("i", descriptors)
    beside = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)] if passed else []
    to.sendmsg([json.dumps(said).encode()], beside)


def receive(source: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """None: the other side has closed. The descriptors are the caller's to close. Raises Unreadable, OSError."""
    room = socket.CMSG_LEN(_MOST_DESCRIPTORS * array.array("i").itemsize)
    data, beside, _, _ = source.recvmsg(MOST_BYTES, room, socket.MSG_CMSG_CLOEXEC)
    passed = array.array("i")
    for level, kind, content in beside:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            passed.frombytes(content[: len(content) - len(content) % passed.itemsize])
    if not data:
        return None
    try:
        said = json.loads(data)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        close_all(passed)
        raise Unreadable("That is not a question to the keeper.")
    return said, list(passed)


def close_all(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
