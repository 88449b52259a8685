"""The filter of system calls, by what a real kernel then says to a real process."""

import asyncio
import json
import os
import platform
import struct

import pytest

from cluster.sandbox.launch import Channels, spawn
from cluster.sandbox.machine import interpreter_mounts, this_machine
from cluster.sandbox.processes import wait_end
from cluster.sandbox.seccomp import seccomp_filter
from cluster.sandbox.view import View
from setpoint.run.node import base_python

_TRY = """
import ctypes, errno, json, socket, subprocess, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    libc.syscall.restype = ctypes.c_long
    ctypes.set_errno(0)
    answer = libc.syscall(*arguments)
    return errno.errorcode.get(ctypes.get_errno(), "") if answer == -1 else "done"
def family(number, kind=socket.SOCK_STREAM, protocol=0):
    try:
        socket.socket(number, kind, protocol).close()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
found = {name: call(*arguments) for name, arguments in json.loads(sys.argv[1]).items()}
def sent(send):
    with socket.socket() as stream, socket.socket(type=socket.SOCK_DGRAM) as datagram:
        try:
            send(stream, 0x20000000)
        except OSError as error:
            send(datagram, 0)
            return errno.errorcode[error.errno]
place = ("127.0.0.1", 9)
found |= {"sendto": sent(lambda s, flags: s.sendto(b"x", flags, place)),
    "sendmsg": sent(lambda s, flags: s.sendmsg([b"x"], [], flags, place)),
    "mptcp": family(2, protocol=262), "mptcp6": family(10, protocol=262), "tcp": family(2, protocol=6)}
found |= {"vsock": family(40), "alg": family(38, socket.SOCK_SEQPACKET), "inet": family(2), "inet6": family(10),
    "unix": family(1), "netlink": family(16, socket.SOCK_RAW)}
got = []
thread = threading.Thread(target=got.append, args=["thread"]); thread.start(); thread.join()
got.append(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout.strip())
print(json.dumps([found, got]))
"""
NUMBERS = {
    "x86_64": {"ptrace": 101, "unshare": 272, "setns": 308, "mount": 165, "bpf": 321, "perf": 298, "userfaultfd": 323},
    "aarch64": {"ptrace": 117, "unshare": 97, "setns": 268, "mount": 40, "bpf": 280, "perf": 241, "userfaultfd": 282},
}
CLONE = {"x86_64": 56, "aarch64": 220}


async def _inside(code: str, *arguments: str) -> str:
    python = base_python()
    reading, writing = os.pipe()
    view = View(interpreter_mounts(python), {"PATH": "/usr/bin:/bin"})
    pid = spawn(view, [str(python), "-c", code, *arguments], this_machine(), Channels(writing, writing))
    os.close(writing)
    with os.fdopen(reading) as out:
        said = await asyncio.to_thread(out.read)
    assert await wait_end(pid) == 0, said
    return said


@pytest.mark.skipif(platform.machine() not in NUMBERS, reason="no filter is known for this architecture")
async def test_what_no_application_needs_is_refused_and_the_rest_works() -> None:
    machine = platform.machine()
    calls: dict[str, list[int]] = {name: [number, 0, 0, 0, 0, 0] for name, number in NUMBERS[machine].items()}
    calls |= {"io_uring": [425, 0, 0], "fsopen": [430, 0, 0], "pidfd_getfd": [438, 0, 0, 0], "clone3": [435, 0, 0]}
    calls |= {"clone_user": [CLONE[machine], 0x10000000, 0, 0, 0, 0], "getppid": [110 if machine == "x86_64" else 173]}
    fast_open = 0x20000000
    calls["sendmmsg"] = [307 if machine == "x86_64" else 269, 99, 0, 0, fast_open]
    if machine == "x86_64":
        calls["x32"] = [0x40000000 + 39]
    found, got = json.loads(await _inside(_TRY, json.dumps(calls)))
    assert found.pop("getppid") == "done"
    assert found.pop("clone3") == "ENOSYS"
    assert [found.pop(name) for name in ("sendto", "sendmsg", "sendmmsg")] == ["ENOTSUP"] * 3
    assert [found.pop(name) for name in ("tcp", "mptcp", "mptcp6")] == ["done", "EPROTONOSUPPORT", "EPROTONOSUPPORT"]
    assert [found.pop(name) for name in ("inet", "inet6", "unix", "netlink")] == ["done"] * 4
    assert [found.pop(name) for name in ("vsock", "alg")] == ["EAFNOSUPPORT"] * 2
    assert set(found.values()) == {"EPERM"}, found
    assert got == ["thread", "child"]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_jump_stays_within_the_program(machine: str) -> None:
    program = seccomp_filter(machine)
    assert program is not None
    steps = [struct.unpack_from("=HBBI", program, offset) for offset in range(0, len(program), 8)]
    assert len(steps) < 4096
    for place, (code, when_true, when_false, _) in enumerate(steps):
        if code & 0x07 == 0x05:
            assert place + 1 + max(when_true, when_false) < len(steps)
    assert steps[-1][0] == 0x06


def test_an_unknown_architecture_has_no_filter() -> None:
    assert seccomp_filter("riscv64") is None
