"""What a sandboxed process may see and use, and the bubblewrap arguments that say so. Pure."""

import resource
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Literal

from cluster.fabric.addresses import GATEWAY
from cluster.sandbox.identity import APP

MIB = 1024 * 1024
_SANDBOXES_OF_A_USER = 32


@dataclass(frozen=True)
class Mount:
    """One thing of the machine, and where the sandbox sees it. `kind` is bubblewrap's option."""

    source: Path
    target: str
    kind: Literal["ro-bind", "ro-bind-try", "bind"] = "ro-bind"


@dataclass(frozen=True)
class Limits:
    """Per sandbox. `processes` counts threads too; `open_files` is per process; `file_bytes` 0: no limit. `niceness`:
    how far it steps back behind others."""

    processes: int = 512
    open_files: int = 8192
    file_bytes: int = 0
    niceness: int = 0


@dataclass(frozen=True)
class View:
    """Mounts come in this order, after the machine's own; `links` are (target, name), made before them.
    `survives`: goes on when whoever started it ends. `offline`: has no network at all."""

    mounts: tuple[Mount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str = "/"
    _: KW_ONLY
    links: tuple[tuple[str, str], ...] = ()
    tmp_bytes: int = 256 * MIB
    limits: Limits = field(default_factory=Limits)
    survives: bool = False
    offline: bool = False


@dataclass(frozen=True)
class Machine:
    """The read-only part of the machine that every sandbox sees: `links` are (target, name). `landlock`: which version
    of it the kernel has, 0: none, or it is not to be used."""

    mounts: tuple[Mount, ...]
    links: tuple[tuple[str, str], ...]
    bwrap: Path
    prlimit: Path | None
    landlock: int = 0
    setpriv: Path | None = None


def user_files(uid: int) -> dict[str, str]:
    """Files with our own content: without a passwd entry for the user, Node.js and others fail."""
    return {"/etc/passwd": f"app:x:{uid}:{uid}::/tmp:/bin/sh\n", "/etc/group": f"app:x:{uid}:\n"}


NETWORK_FILES: Mapping[str, str] = {
    "/etc/resolv.conf": f"nameserver {GATEWAY}\noptions timeout:3 attempts:2\n",
    "/etc/hosts": "127.0.0.1 localhost app\n",
}
"""Where it has a network of its own: the machine's names and name servers are not of that."""

_WALLS = (
    *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-drop", "ALL", "--new-session", "--hostname", "app"),
)
_AS_OURSELVES = ("--unshare-user", "--disable-userns", "--uid", str(APP), "--gid", str(APP))
# Just enough to become the project's user, which ends them; the filter of system calls refuses user namespaces.
_AS_ANOTHER = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP")


def arguments(view: View, machine: Machine, files: Mapping[str, int], uid: int | None = None) -> list[str]:
    """bubblewrap's options; `files` names the descriptor that holds each file of our own content. Values of variables
    are among them, so they go in by a descriptor and never into an argument list. `uid`: see `limited`."""
    options = [*_WALLS, *(_AS_OURSELVES if uid is None else _AS_ANOTHER), *(["--unshare-net"] if view.offline else [])]
    if not view.survives:
        options.append("--die-with-parent")
    if uid is not None:
        made = [mount.target for mount in (*machine.mounts, *view.mounts)]
        options += _open_folders([*made, *(name for _, name in (*machine.links, *view.links)), *files])
    for mount in machine.mounts:
        options += _mount(mount)
    for target, name in (*machine.links, *view.links):
        options += ["--symlink", target, name]
    options += ["--proc", "/proc", "--dev", "/dev"]
    options += ["--perms", "1777", "--size", str(view.tmp_bytes), "--tmpfs", "/tmp"]  # noqa: S108 (inside only)
    options += ["--perms", "1777", "--size", str(64 * MIB), "--tmpfs", "/dev/shm"]  # noqa: S108 (inside only)
    for path, descriptor in files.items():
        options += ["--perms", "0644", "--ro-bind-data", str(descriptor), path]
    for mount in view.mounts:
        options += _mount(mount)
    options.append("--clearenv")
    for name, value in view.environment.items():
        options += ["--setenv", name, value]
    # Last: after it nothing can be mounted; without it the root is writable memory without a limit.
    return [*options, "--chdir", view.cwd, "--remount-ro", "/dev", "--remount-ro", "/"]


def _open_folders(made: Iterable[str]) -> list[str]:
    """The folders above what is made inside: bubblewrap makes them for the user that it runs as and nobody else."""
    above = {str(folder) for path in made for folder in Path(path).parents} - {"/"}
    return [word for folder in sorted(above) for word in ("--perms", "0755", "--dir", folder)]


def _mount(mount: Mount) -> list[str]:
    return [f"--{mount.kind}", str(mount.source), mount.target]


def limited(command: list[str], limits: Limits, machine: Machine, uid: int | None = None) -> list[str]:
    """The command under its resource limits, which must be set inside: there they count this sandbox alone. `uid`: the
    user that it runs as (None: our own, by another name); his processes are counted over all his sandboxes."""
    if uid is not None:
        become = f"--reuid={uid} --regid={uid} --clear-groups --inh-caps=-all --bounding-set=-all --".split()
        command = [str(machine.setpriv), *become, *command]
        limits = replace(limits, processes=_SANDBOXES_OF_A_USER * limits.processes)
    if machine.prlimit is None:
        return command
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    files = limits.open_files if hard == resource.RLIM_INFINITY else min(limits.open_files, hard)
    options = [f"--nproc={limits.processes}", f"--nofile={files}", "--core=0"]
    if limits.file_bytes:
        options.append(f"--fsize={limits.file_bytes}")
    return [str(machine.prlimit), *options, "--", *command]
