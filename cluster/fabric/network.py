"""The fabric itself, by the process that is inside: made or found again, wires laid to new networks."""

import errno
import os
import random
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cluster.fabric import namespaces, rules
from cluster.fabric.addresses import GATEWAY, PAIRS, Pair, Purpose, pair
from cluster.fabric.netlink import LOOPBACK, Netlink, add_address, add_pair, default_route, route_without_delay, set_up

_INSIDE = "eth0"
_INSIDE_INDEX = 2
_MOST_TRIES = 1000
_TAKEN = (errno.EEXIST, errno.EBUSY)


class CannotStand(Exception):
    """This machine refuses the fabric; `remedy` is the one line that would allow it, if one is known."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.remedy = namespaces.remedy()


@dataclass(frozen=True)
class Attached:
    """A new network with one end of a wire in it; `descriptor` is the caller's to close."""

    pair: Pair
    descriptor: int


class Fabric:
    """Made by `enter`, in the process that then is inside for good."""

    def __init__(self, id: str, *, own_user_namespace: bool):
        self.id = id
        self.own_user_namespace = own_user_namespace
        self._self = namespaces.open_network()
        self._kernel = Netlink()
        # Where the search for a free pair goes on: an address rests as long as possible before it is used again.
        self._next = random.randrange(PAIRS)

    def attach(self, purpose: Purpose) -> Attached:
        """Lay a wire to a new network. Raises OSError."""
        descriptor, inner = self._new_network()
        try:
            found = self._lay(purpose, descriptor)
            inner.say(
                set_up(LOOPBACK),
                set_up(_INSIDE_INDEX),
                add_address(_INSIDE_INDEX, found.inner, 31),
                default_route(_INSIDE_INDEX, found.outer),
            )
            return Attached(found, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        finally:
            inner.close()

    def _new_network(self) -> tuple[int, Netlink]:
        namespaces.unshare_network()
        try:
            namespaces.lock_down()
            return namespaces.open_network(), Netlink()
        finally:
            namespaces.enter_network(self._self)

    def _lay(self, purpose: Purpose, descriptor: int) -> Pair:
        for _ in range(_MOST_TRIES):
            self._next += 1
            candidate = pair(purpose, self._next)
            try:
                self._kernel.say(
                    add_pair(candidate.name, candidate.index, _INSIDE, _INSIDE_INDEX, descriptor),
                    add_address(candidate.index, candidate.outer, 31),
                    set_up(candidate.index),
                    route_without_delay(candidate.index, candidate.inner),
                )
            except OSError as error:
                if error.errno not in _TAKEN:
                    raise
            else:
                return candidate
        raise OSError("No address is left in the fabric.")


def enter(note: Path) -> Fabric:
    """Into the fabric that `note` tells of, if any process is still in it, else into a new one. Raises CannotStand."""
    fabric = _enter_known(*_noted(note)) or _enter_new()
    # Again also where they stand: another version of this code may have set them.
    try:
        namespaces.lock_down()
        rules.install()
        namespaces.forget_soon()
    except OSError as error:
        raise CannotStand(f"the kernel has no rules for it: {error}") from error
    new = note.with_name(f".{note.name}")
    new.write_text(f"{namespaces.network_number()} {fabric.id}\n")
    new.replace(note)
    return fabric


def _noted(note: Path) -> tuple[int, str]:
    """The kernel's number of the network, which it uses again when the network is gone, and our name for it, which is
    never used again."""
    try:
        number, id = note.read_text().split()
        return int(number), id
    except (OSError, ValueError):
        return 0, ""


def _enter_known(number: int, id: str) -> Fabric | None:
    found = namespaces.find_process_in(number, GATEWAY) if number else None
    if found is None:
        return None
    user = namespaces.open_user(found.pid) if found.own_user_namespace else None
    network = namespaces.open_network(found.pid)
    try:
        if user is not None:
            namespaces.enter_user(user)
        namespaces.enter_network(network)
    except OSError:
        return None
    finally:
        os.close(network)
        if user is not None:
            os.close(user)
    return Fabric(id, own_user_namespace=user is not None)


def _enter_new() -> Fabric:
    own = _unshared()
    kernel = Netlink()
    try:
        kernel.say(set_up(LOOPBACK), add_address(LOOPBACK, GATEWAY, 32))
    except OSError as error:
        raise CannotStand(f"{error}") from error
    finally:
        kernel.close()
    return Fabric(secrets.token_hex(4), own_user_namespace=own)


def _unshared() -> bool:
    """Did it take a user namespace? As root it mostly does not."""
    ways: list[tuple[bool, Callable[[], None]]] = [(True, namespaces.unshare_user_and_network)]
    if os.geteuid() == 0:
        ways.insert(0, (False, namespaces.unshare_network))
    problem = ""
    for own, way in ways:
        try:
            way()
        except OSError as error:
            problem = str(error)
        else:
            return own
    raise CannotStand(problem)


def new_socket(kind: socket.SocketKind) -> socket.socket:
    return socket.socket(socket.AF_INET, kind | socket.SOCK_NONBLOCK)
