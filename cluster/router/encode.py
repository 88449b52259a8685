"""What may go into HAProxy's socket and files: a word of each sort passes only in the one form it can have."""

import ipaddress
import re
from functools import lru_cache

from cluster.router.table import AddServer, DropHost, Operation, PointHost, Retire, Revive

HOSTS_MAP = "hosts.map"

_HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")
_CALLER = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}")
_SLOT = re.compile(r"s[0-9]{5}")
_SERVER = re.compile(r"[a-z0-9][a-z0-9.-]{0,119}")


class Unsafe(ValueError):
    """This cannot be said to HAProxy."""


def host(text: str) -> str:
    return _checked(_HOST, text, "hostname")


def entry(text: str) -> str:
    """A hostname, or `<address of the caller>/S/<hostname>`."""
    caller, slash, name = text.rpartition("/S/")
    return f"{_checked(_CALLER, caller, 'caller')}/S/{host(name)}" if slash else host(text)


def slot(text: str) -> str:
    return _checked(_SLOT, text, "slot")


def server(text: str) -> str:
    return _checked(_SERVER, text, "server name")


def is_slot(text: str) -> bool:
    return _SLOT.fullmatch(text) is not None


def fits(text: str) -> bool:
    """It can be the name of a server."""
    return _SERVER.fullmatch(text) is not None


@lru_cache(maxsize=10_000)
def address(text: str) -> str:
    """`ip:port`, with the IP of version 6 in brackets; as HAProxy reads it, in its canonical form."""
    ip, colon, port = text.rpartition(":")
    try:
        parsed = ipaddress.ip_address(ip[1:-1] if ip.startswith("[") and ip.endswith("]") else ip)
    except ValueError:
        raise Unsafe(f"{text[:80]!r} is not an address (ip:port).") from None
    bracketed = ip.startswith("[")
    if not colon or bracketed != (parsed.version == 6) or "%" in ip:
        raise Unsafe(f"{text[:80]!r} is not an address (ip:port).")
    if not re.fullmatch(r"[1-9][0-9]{0,4}", port) or int(port) > 65535:
        raise Unsafe(f"{text[:80]!r} has no port from 1 to 65535.")
    return f"[{parsed}]:{port}" if bracketed else f"{parsed}:{port}"


def commands(operation: Operation) -> list[str]:
    """The lines for the socket. Raises Unsafe. Of a Retire only its beginning: no new requests."""
    match operation:
        case AddServer(in_slot, name, at):
            target = f"{slot(in_slot)}/{server(name)}"
            return [f"add server {target} {address(at)}", f"enable server {target}"]
        case Revive(in_slot, name):
            return [f"set server {slot(in_slot)}/{server(name)} state ready"]
        case PointHost(name, to_slot, known):
            return [f"{'set' if known else 'add'} map {HOSTS_MAP} {entry(name)} {slot(to_slot)}"]
        case DropHost(name):
            return [f"del map {HOSTS_MAP} {entry(name)}"]
        case Retire(in_slot, name):
            return [f"set server {slot(in_slot)}/{server(name)} state drain"]


def _checked(pattern: re.Pattern[str], text: str, what: str) -> str:
    if not pattern.fullmatch(text):
        raise Unsafe(f"{text[:80]!r} is not a {what}.")
    return text
