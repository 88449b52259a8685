"""From bubblewrap's arguments to its process: which descriptors it gets, and the thread that it is started from."""

import contextlib
import errno
import os
import signal
import socket
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from cluster.fabric.entry import Entry, inside
from cluster.sandbox.confinement import Rules
from cluster.sandbox.landlock import restrict_this_thread

THREAD = "sandbox"
_RESET = [signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGXFSZ]


@dataclass(frozen=True)
class Start:
    """`argv` begins with bubblewrap; `passed`: descriptors that it gets under the same numbers, beside its outputs.
    `survives`: it goes on when we end. `niceness`: how far it steps back behind others."""

    argv: list[str]
    stdout: int
    stderr: int
    passed: tuple[int, ...]
    room: Entry | None
    survives: bool
    niceness: int = 0


def start(what: Start, rules: Rules | None) -> int:
    """Answers its pid. Raises OSError."""
    if rules is None and not what.niceness:
        return _spawned(what.argv, what)
    answer: Future[int] = Future()
    # Of its own and never used again: what a thread gave up (its turn before others, too) it does not get back.
    try:
        Thread(target=_confined, args=(what, rules, answer), name=THREAD, daemon=True).start()
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, f"{error}") from error
    return answer.result()


def _confined(what: Start, rules: Rules | None, answer: "Future[int]") -> None:
    ours, theirs = socket.socketpair()
    with ours:
        try:
            with theirs:
                # To the kernel niceness is a thread's, and one more program to set it would cost a millisecond.
                os.nice(what.niceness)
                if rules is not None:
                    restrict_this_thread(rules)
                answer.set_result(_spawned(_telling(what.argv, theirs.fileno()), what, theirs.fileno()))
        except BaseException as error:
            answer.set_exception(error)
            return
        _stay(ours)
    if not what.survives:
        # To the kernel the parent with which it ends is this thread.
        _wait(answer.result())


def _telling(argv: list[str], descriptor: int) -> list[str]:
    """bubblewrap closes a file of options as soon as it has read it: this one is empty, its end is the news."""
    return [argv[0], "--args", str(descriptor), *argv[1:]]


def _stay(ours: socket.socket) -> None:
    """Until bubblewrap has begun (or never will): what is confined reaches descriptors of this thread alone, and by
    them it goes into its network."""
    ours.shutdown(socket.SHUT_WR)
    ours.recv(1)


def _wait(pid: int) -> None:
    """Its end stays to be collected by whoever waits for it."""
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def _spawned(argv: list[str], what: Start, *more: int) -> int:
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        passed = [*what.passed, *more]
        _keep_back(set(passed))
        command = inside(what.room, argv)
        moves = [(null, 0), (what.stdout, 1), (what.stderr, 2), *((fd, fd) for fd in passed)]
        actions = [(os.POSIX_SPAWN_DUP2, source, target) for source, target in moves]
        return os.posix_spawn(
            command[0], command, {}, file_actions=actions, setsid=True, setsigmask=[], setsigdef=_RESET
        )
    finally:
        os.close(null)


def _keep_back(passed: Iterable[int]) -> None:
    """Descriptors that we inherited ourselves could be inheritable still: none may reach a tenant."""
    for entry in Path("/proc/self/fd").iterdir():
        descriptor = int(entry.name)
        if descriptor > 2 and descriptor not in passed and _inheritable(descriptor):
            os.set_inheritable(descriptor, False)


def _inheritable(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError:
        return False
