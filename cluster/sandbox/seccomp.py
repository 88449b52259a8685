"""A filter of system calls, as a second line: what a web application never needs, and what the kernel's holes were
found in. Pure: classic BPF as bytes, one program for each architecture (linux/seccomp.h, linux/filter.h)."""

import errno
import platform
import socket
import struct
from dataclasses import dataclass
from functools import cache

# Kept apart from the network namespace by nothing else: vsock leads to the hypervisor.
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
# From here on: SCTP, UDP-Lite, SMC, MPTCP. Landlock's rules for ports are for TCP alone, and MPTCP falls back to TCP.
_FIRST_PROTOCOL_DENIED = 128
# Connects as it sends, and Landlock is not asked.
_FAST_OPEN = 0x20000000
_CLONE_NEW_USER = 0x10000000
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE = 0, 4
_FIRST, _THIRD, _FOURTH = 16, 32, 40
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000


@dataclass(frozen=True)
class Calls:
    """Numbers of one architecture. `sending`: each with the place of its flags. `denied`: those that fail with EPERM
    whatever their arguments are."""

    architecture: int
    clone: int
    socket: int
    sending: tuple[tuple[int, int], ...]
    denied: tuple[int, ...]


# The same on every architecture: io_uring, the new mount API, pidfd_getfd, quotactl_fd.
_COMMON = (425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 443)
_CLONE3 = 435
# ptrace, mount, umount2, pivot_root, chroot, swapon, swapoff, reboot, the modules' three, kexec's two, unshare, setns,
# bpf, perf_event_open, userfaultfd, the keys' three, handles' two, process_vm's two, kcmp, quotactl, acct, the clock's
# four, syslog, move_pages, fanotify_init; of x86 also iopl and ioperm.
_X86_64 = (
    "101 165 166 155 161 167 168 169 175 176 313 246 320 272 308 321 298 323 248 249 250 303 304 310 311 312 179 163 "
    "164 227 305 159 103 279 300 172 173"
)
_AARCH64 = (
    "117 40 39 41 51 224 225 142 105 106 273 104 294 97 268 280 241 282 217 218 219 264 265 270 271 272 60 89 170 112 "
    "266 171 116 239 262"
)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split())) + _COMMON


# sendto, sendmsg and sendmmsg come behind clone and socket.
_KNOWN = {
    "x86_64": Calls(0xC000003E, 56, 41, ((44, _FOURTH), (46, _THIRD), (307, _FOURTH)), _numbers(_X86_64)),
    "aarch64": Calls(0xC00000B7, 220, 198, ((206, _FOURTH), (211, _THIRD), (269, _FOURTH)), _numbers(_AARCH64)),
}


@cache
def seccomp_filter(machine: str = platform.machine()) -> bytes | None:
    """The program for bubblewrap; None: this architecture is not known."""
    calls = _KNOWN.get(machine)
    return _program(calls) if calls else None


def _program(calls: Calls) -> bytes:
    """A call of another architecture (32 bit) or of x32 fails like a denied one: its numbers mean something else."""
    denied = _return(_ERROR | errno.EPERM)
    steps = [
        _load(_ARCHITECTURE),
        *_unless(_EQUAL, calls.architecture, denied),
        _load(_NUMBER),
        *_when(_AT_LEAST, _X32, denied),
        # The C library falls back to clone, whose flags can be looked at here.
        *_when(_EQUAL, _CLONE3, _return(_ERROR | errno.ENOSYS)),
    ]
    for number in calls.denied:
        steps += _when(_EQUAL, number, denied)
    flags = [_load(_FIRST), *_when(_ANY_BIT, _CLONE_NEW_USER, denied), _return(_ALLOW)]
    steps += [*_when(_EQUAL, calls.clone, *flags), *_when(_EQUAL, calls.socket, *_of_sockets())]
    for number, place in calls.sending:
        connecting = _when(_ANY_BIT, _FAST_OPEN, _return(_ERROR | errno.EOPNOTSUPP))
        steps += _when(_EQUAL, number, _load(place), *connecting, _return(_ALLOW))
    steps.append(_return(_ALLOW))
    return b"".join(steps)


def _of_sockets() -> list[bytes]:
    protocol = [_load(_THIRD), *_when(_AT_LEAST, _FIRST_PROTOCOL_DENIED, _return(_ERROR | errno.EPROTONOSUPPORT))]
    steps = [*protocol, _load(_FIRST)]
    for each in _FAMILIES:
        steps += _when(_EQUAL, each, _return(_ALLOW))
    return [*steps, _return(_ERROR | errno.EAFNOSUPPORT)]


def _step(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, when_true, when_false, value)


def _load(offset: int) -> bytes:
    return _step(_LOAD, offset)


def _return(what: int) -> bytes:
    return _step(_RETURN, what)


def _when(test: int, value: int, *then: bytes) -> list[bytes]:
    return [_step(test, value, 0, len(then)), *then]


def _unless(test: int, value: int, *then: bytes) -> list[bytes]:
    return [_step(test, value, len(then), 0), *then]
