"""The keeper: the one process of ours that stays inside the fabric. It lays wires and makes sockets for the parts
outside, and remembers nothing: what stands is in the kernel, and a keeper that begins anew finds it."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cluster.fabric import namespaces, wire
from cluster.fabric.addresses import GATEWAY, INSTANCE_PORT, Purpose
from cluster.fabric.entry import nsenter
from cluster.fabric.network import CannotStand, Fabric, enter, new_socket
from cluster.fabric.rules import EGRESS_PORT, NAMES_PORT

_log = logging.getLogger(__name__)
_BACKLOG = 4096
Answer = tuple[dict[str, Any], list[int]]


async def run(folder: Path) -> None:
    """Until cancelled. Nothing of the fabric ends with it: whoever is inside keeps it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    await serve(folder, _answers(folder))


def _answers(folder: Path) -> dict[str, Callable[[], Answer]]:
    if nsenter() is None:
        return refusing("the program nsenter is missing", "sudo apt-get install util-linux")
    try:
        # Before anything here has a second thread: the kernel lets no other process change its user namespace.
        return Answers(enter(folder / "network")).table()
    except CannotStand as refusal:
        _log.warning("the fabric cannot stand here: %s", refusal)
        return refusing(str(refusal), refusal.remedy)


def refusing(reason: str, remedy: str) -> dict[str, Callable[[], Answer]]:
    """What is said where there is no fabric."""
    return {"describe": lambda: ({"network": "shared", "id": "", "reason": reason, "remedy": remedy}, [])}


class Answers:
    """To each question. Descriptors in an answer are closed once it is sent."""

    def __init__(self, fabric: Fabric):
        self._fabric = fabric

    def table(self) -> dict[str, Callable[[], Answer]]:
        return {
            "describe": self._describe,
            "entry": self._entry,
            "attach run": lambda: self._attach("run"),
            "attach build": lambda: self._attach("build"),
            "socket": self._socket,
            "egress": lambda: self._listener(socket.SOCK_STREAM, EGRESS_PORT),
            "names": self._names,
        }

    def _describe(self) -> Answer:
        return {"network": "fabric", "id": self._fabric.id, "reason": "", "remedy": ""}, []

    def _entry(self) -> Answer:
        """By which a program is started inside: the network, and the user namespace if it has one."""
        own = self._fabric.own_user_namespace
        return {}, [namespaces.open_network(), *([namespaces.open_user()] if own else [])]

    def _attach(self, purpose: Purpose) -> Answer:
        attached = self._fabric.attach(purpose)
        user = [namespaces.open_user()] if self._fabric.own_user_namespace else []
        return {"address": f"{attached.pair.inner}:{INSTANCE_PORT}"}, [attached.descriptor, *user]

    def _socket(self) -> Answer:
        """From which instances can be reached."""
        return {}, [new_socket(socket.SOCK_STREAM).detach()]

    def _listener(self, kind: socket.SocketKind, port: int, address: str = "0.0.0.0") -> Answer:  # noqa: S104 (inside)
        listener = new_socket(kind)
        # The one before may be held by a proxy that is about to end.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((address, port))
        if kind == socket.SOCK_STREAM:
            listener.listen(_BACKLOG)
        return {}, [listener.detach()]

    def _names(self) -> Answer:
        _, datagrams = self._listener(socket.SOCK_DGRAM, NAMES_PORT)
        _, streams = self._listener(socket.SOCK_STREAM, NAMES_PORT)
        return {"gateway": GATEWAY}, [*datagrams, *streams]


async def serve(folder: Path, answers: dict[str, Callable[[], Answer]]) -> None:
    """Answer until cancelled."""
    listener = _bound(folder)
    loop = asyncio.get_running_loop()
    open_connections: set[socket.socket] = set()

    def accept() -> None:
        with contextlib.suppress(BlockingIOError):
            connection, _ = listener.accept()
            connection.setblocking(False)
            open_connections.add(connection)
            loop.add_reader(connection, hear, connection)

    def hear(connection: socket.socket) -> None:
        if not _answer(connection, answers):
            loop.remove_reader(connection)
            open_connections.discard(connection)
            connection.close()

    loop.add_reader(listener, accept)
    try:
        await asyncio.Event().wait()
    finally:
        for each in (listener, *open_connections):
            loop.remove_reader(each)
            each.close()


def _answer(connection: socket.socket, answers: dict[str, Callable[[], Answer]]) -> bool:
    """One question; False when the connection is of no more use."""
    try:
        heard = wire.receive(connection)
        if heard is None:
            return False
        question, passed = heard
        wire.close_all(passed)
        said, descriptors = _say(str(question.get("do")), answers)
        try:
            wire.send(connection, said, descriptors)
        finally:
            wire.close_all(descriptors)
    except BlockingIOError:
        return True
    except (OSError, wire.Unreadable) as error:
        _log.warning("a question was not answered: %s", error)
        return False
    return True


def _say(what: str, answers: dict[str, Callable[[], Answer]]) -> Answer:
    answer = answers.get(what)
    if answer is None:
        return {"error": f"There is no {what!r} here."}, []
    try:
        return answer()
    except OSError as error:
        _log.warning("%s: %s", what, error)
        return {"error": f"{what}: {error}"}, []


def _bound(folder: Path) -> socket.socket:
    """In place of the one before. The folder is ours alone, so only this user can ask."""
    fresh = f".{wire.SOCKET}.new"
    (folder / fresh).unlink(missing_ok=True)
    listener = wire.new_socket()
    with wire.short_path(folder, fresh) as path:
        listener.bind(path)
    (folder / fresh).chmod(0o600)
    listener.listen(128)
    (folder / fresh).replace(folder / wire.SOCKET)
    return listener
