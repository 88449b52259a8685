"""What the agent keeps on disk of each instance, so that its successor finds it whatever happens:

instances/<uid>/state.json   what it runs and where it listens; written before the process is started
instances/<uid>/lock         held by the sandbox itself as long as it lives
instances/<uid>/status       bubblewrap's words: its pids, later the exit code
instances/<uid>/stdout, stderr   spool files: they go on taking output while no agent is there
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

from cluster.limits.allowance import Allowance, most_processes, of_size
from cluster.sandbox.processes import holds, lock_free, lock_holders, read_status
from crds.sizes import DEFAULT_SIZE, SIZES


@dataclass(frozen=True)
class RunState:
    """One run: enough to go on with it when no record can be read. `started_at`: ISO 8601; times in seconds.
    `volumes_of`: uid of the project whose volumes it has mounted (empty: none); `volumes`: how many bytes each of them
    may hold. `network`: the fabric in which its
    address is (empty: this machine)."""

    uid: str
    namespace: str
    name: str
    project: str
    deploy: str
    process: str
    address: str
    started_at: str
    served: bool
    health_path: str
    health_seconds: int
    drain_seconds: int
    grace_seconds: int
    memory_bytes: int
    restarts: int = 0
    cpu: float = SIZES[DEFAULT_SIZE].cpu
    volumes_of: str = ""
    volumes: dict[str, int] = field(default_factory=dict)
    network: str = ""

    @property
    def allowance(self) -> Allowance:
        return of_size(self.cpu, self.memory_bytes, most_processes(self.memory_bytes))


class InstanceFolder:
    """The files of one instance."""

    def __init__(self, path: Path):
        self.path = path
        self.lock = path / "lock"
        self.status = path / "status"
        self.spools = {"stdout": path / "stdout", "stderr": path / "stderr"}

    def write(self, state: RunState) -> None:
        """Replaces it as a whole."""
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = self.path / ".state.json"
        new.write_bytes(orjson.dumps(asdict(state)))
        new.rename(self.path / "state.json")

    def read(self) -> RunState | None:
        try:
            return RunState(**orjson.loads((self.path / "state.json").read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def alive(self) -> bool:
        return self.lock.exists() and not lock_free(self.lock)

    def reaper(self) -> int | None:
        """The sandbox's pid 1 as this machine sees it, while it lives."""
        pid = read_status(self.status).get("child-pid")
        if pid and holds(pid, self.lock):
            return pid
        # Killed between the start and bubblewrap's first word: whoever has the lock is it.
        return next(iter(lock_holders(self.lock)), None) if self.alive() else None

    def exit_code(self) -> int | None:
        return read_status(self.status).get("exit-code")

    def open_outputs(self, uid: int | None = None) -> tuple[int, int]:
        """Descriptors to append to the spool files. `uid`: whose they are to be: a program may open its output anew by
        name (/dev/stderr), which is its own right only."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        out, err = (os.open(self.spools[stream], flags, 0o600) for stream in ("stdout", "stderr"))
        if uid is not None:
            for descriptor in (out, err):
                os.fchown(descriptor, uid, uid)
        return out, err

    def open_status(self) -> int:
        """A fresh status file for a new run."""
        self.status.unlink(missing_ok=True)
        return os.open(self.status, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


class Folders:
    """All instances that this node has files of."""

    def __init__(self, state: Path):
        self._root = state / "instances"
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)

    def of(self, uid: str) -> InstanceFolder:
        return InstanceFolder(self._root / uid)

    def all(self) -> Iterator[tuple[InstanceFolder, RunState | None]]:
        for path in sorted(self._root.iterdir()):
            folder = InstanceFolder(path)
            yield folder, folder.read()
