"""Namespaces of processes: made, entered, looked at. A process that enters a user namespace must have one thread."""

import contextlib
import ctypes
import os
from dataclasses import dataclass
from pathlib import Path

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)
_LOCKED_DOWN = {
    "ipv4/ip_forward": "0",
    "ipv4/conf/all/rp_filter": "1",
    "ipv4/conf/default/rp_filter": "1",
    "ipv4/conf/all/accept_redirects": "0",
    "ipv4/conf/default/accept_redirects": "0",
    "ipv4/conf/all/send_redirects": "0",
    "ipv4/conf/default/send_redirects": "0",
    "ipv4/conf/all/accept_source_route": "0",
    "ipv6/conf/all/disable_ipv6": "1",
    "ipv6/conf/default/disable_ipv6": "1",
}

_FORGOTTEN_SOON = {
    "udp_timeout": "10",
    "tcp_timeout_syn_recv": "10",
    "tcp_timeout_time_wait": "10",
    "tcp_timeout_last_ack": "10",
    # Longer than the way out waits for the other end.
    "tcp_timeout_fin_wait": "40",
    "tcp_timeout_close_wait": "40",
}

_SYSCTLS = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
    ("/proc/sys/user/max_net_namespaces", "0", "user.max_net_namespaces=15000"),
)


def unshare_network() -> None:
    """This process gets a network namespace of its own. Raises OSError."""
    _check(_libc.unshare(_NEW_NET), "a network namespace")


def unshare_user_and_network() -> None:
    """The same as nobody special: in a user namespace in which we have every right, and are who we were."""
    user, group = os.getuid(), os.getgid()
    _check(_libc.unshare(_NEW_USER | _NEW_NET), "a user namespace")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def enter_network(descriptor: int) -> None:
    _check(_libc.setns(descriptor, _NEW_NET), "entering a network namespace")


def enter_user(descriptor: int) -> None:
    _check(_libc.setns(descriptor, _NEW_USER), "entering a user namespace")


def _check(answer: int, what: str) -> None:
    if answer != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def open_network(pid: int | str = "self") -> int:
    return os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def open_user(pid: int | str = "self") -> int:
    return os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)


def lock_down() -> None:
    """Of the network namespace that this process is in: nothing is passed on, IPv6 is off."""
    for name, value in _LOCKED_DOWN.items():
        path = Path("/proc/sys/net") / name
        if path.exists():
            path.write_text(value)


def forget_soon() -> None:
    """What ended is of no use in the kernel's table of connections, which has an end that all share (where the kernel
    lets us say so)."""
    for name, seconds in _FORGOTTEN_SOON.items():
        with contextlib.suppress(OSError):
            (Path("/proc/sys/net/netfilter") / f"nf_conntrack_{name}").write_text(seconds)


@dataclass(frozen=True)
class Found:
    """A process by which a network namespace can be entered."""

    pid: int
    own_user_namespace: bool


def network_number(pid: int | str = "self") -> int:
    return Path(f"/proc/{pid}/ns/net").stat().st_ino


def _user_number(pid: str) -> int:
    return Path(f"/proc/{pid}/ns/user").stat().st_ino


def find_process_in(network: int, address: str) -> Found | None:
    """Any process in the network namespace of this number that has this address of its own: numbers are used again."""
    here = _user_number("self")
    for name in filter(str.isdigit, (each.name for each in Path("/proc").iterdir())):
        try:
            if network_number(name) == network and address in Path(f"/proc/{name}/net/fib_trie").read_text():
                return Found(int(name), _user_number(name) != here)
        except OSError:
            continue
    return None


def remedy() -> str:
    """The one line that makes the kernel allow namespaces; empty: none of the known settings refuses them."""
    for path, bad, setting in _SYSCTLS:
        try:
            if Path(path).read_text().strip() == bad:
                return f"sudo sysctl -w {setting}"
        except OSError:
            continue
    return ""
