"""Starting bubblewrap: nothing of our environment, our descriptors or our signals gets in."""

import errno
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from cluster.limits.group import Group
from cluster.sandbox.cell import OPEN, Cell
from cluster.sandbox.confinement import rules_of
from cluster.sandbox.identity import APP
from cluster.sandbox.processes import children
from cluster.sandbox.seccomp import seccomp_filter
from cluster.sandbox.start import Start, start
from cluster.sandbox.view import NETWORK_FILES, Machine, View, arguments, limited, user_files


@dataclass(frozen=True)
class Channels:
    """Descriptors for the sandbox; they stay the caller's to close.

    `status` is a regular file (or a pipe that is read) that gets bubblewrap's JSON lines (child-pid, later exit-code).
    `lock` is a file with an exclusive flock: only the sandbox's own pid 1 keeps it, so the lock is held as long as that
    lives. It gives it up as the first thing of its end: what else is in the sandbox is killed a moment later, and pid 1
    itself is gone after all of it."""

    stdout: int
    stderr: int
    status: int | None = None
    lock: int | None = None


def spawn(view: View, command: list[str], machine: Machine, channels: Channels, cell: Cell = OPEN) -> int:
    """Start the command in its sandbox and cell; answers the pid of the outer bubblewrap. Raises OSError."""
    opened: list[int] = []
    try:
        contents = user_files(APP if cell.uid is None else cell.uid)
        if cell.room is not None:
            contents |= NETWORK_FILES
        files = {path: _memory_file(text.encode(), opened) for path, text in contents.items()}
        options = arguments(view, machine, files, cell.uid)
        passed = dict.fromkeys(files.values())
        program = seccomp_filter()
        if program is not None:
            filtering = _memory_file(program, opened)
            options += ["--seccomp", str(filtering)]
            passed[filtering] = None
        for option, descriptor in (("--json-status-fd", channels.status), ("--sync-fd", channels.lock)):
            if descriptor is not None:
                options += [option, str(descriptor)]
                passed[descriptor] = None
        go = _held_back(cell, options, passed, opened)
        # The platform's environment must be absent: /proc/1/environ inside is that of bubblewrap.
        listed = _memory_file("".join(f"{option}\0" for option in options).encode(), opened)
        limits, outputs = view.limits, (channels.stdout, channels.stderr)
        argv = [str(machine.bwrap), "--args", str(listed), "--", *limited(command, limits, machine, cell.uid)]
        what = Start(argv, *outputs, (listed, *passed), cell.room, view.survives, limits.niceness)
        pid = start(what, rules_of(cell.confinement, machine.landlock))
        if cell.group is not None and go is not None:
            _limit(cell.group, pid)
            os.write(go, b"go")
        return pid
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _held_back(cell: Cell, options: list[str], passed: dict[int, None], opened: list[int]) -> int | None:
    """What is to be limited does not begin before it is: bubblewrap waits for a word at this descriptor."""
    if cell.group is None:
        return None
    waiting, go = os.pipe()
    opened += [waiting, go]
    options += ["--block-fd", str(waiting)]
    passed[waiting] = None
    return go


def _limit(group: Group, pid: int) -> None:
    """Or end it: it would go on without limits as soon as we are gone."""
    try:
        put_into(group, pid)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise


def put_into(group: Group, pid: int) -> None:
    """What it had started before it joined joins by itself; what it starts later is in the group from the start."""
    try:
        group.join(pid)
        for child in children(pid):
            put_into(group, child)
    except OSError as error:
        if error.errno != errno.ESRCH:
            raise


def _memory_file(content: bytes, opened: list[int]) -> int:
    descriptor = os.memfd_create("setpoint", os.MFD_CLOEXEC)
    opened.append(descriptor)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def check_environment(environment: Mapping[str, str]) -> None:
    """A NUL in a value would begin a new option. Raises ValueError (without the value)."""
    for name, value in environment.items():
        if "\0" in name or "\0" in value or "=" in name or not name:
            raise ValueError(f"The variable {name!r} cannot be set: its name or value holds a NUL or '='.")
