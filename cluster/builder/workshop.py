"""What builds on this node work with: folders, programs, limits."""

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path

from cluster.fabric.networks import Networks, SharedNetwork
from cluster.limits.allowance import LEAST_PROCESSES, Allowance
from cluster.sandbox.view import Limits, Machine

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
MIB = 1024 * 1024
# What builds in parallel starts more of them where there are more cores.
_PROCESSES = max(LEAST_PROCESSES, 64 * (os.cpu_count() or 1))


@dataclass(frozen=True)
class BuildLimits:
    """`tree`: all files of one commit together. `output`: bytes of the build's log."""

    tree_bytes: int = 1024 * MIB
    tree_files: int = 200_000
    file_bytes: int = 2048 * MIB
    output_bytes: int = 4 * MIB
    memory_bytes: int = 2048 * MIB
    processes: int = _PROCESSES

    @property
    def allowance(self) -> Allowance:
        return Allowance(cpu=0.1, most_cpu=4.0, memory_bytes=self.memory_bytes, processes=self.processes)

    @property
    def of_step(self) -> Limits:
        """Builds step back behind what serves requests."""
        return Limits(self.processes, file_bytes=self.file_bytes, niceness=10)


@dataclass(frozen=True)
class Workshop:
    """`state`: this node's own folder. `artifacts` and `tools` are shared by the nodes of this machine.

    `python`: the interpreter that projects run on, not one of a virtual environment.
    `git_ca`: certificates that git trusts beside the system's, when it reads repositories over https.
    `downloader`: the user of steps that only download and run nobody's code (None: our own)."""

    state: Path
    artifacts: Path
    tools: Path
    python: Path
    uv: Path
    machine: Machine
    allow: tuple[Network, ...] = ()
    git_ca: Path | None = None
    downloader: int | None = None
    networks: Networks = field(default_factory=SharedNetwork)
    limits: BuildLimits = field(default_factory=BuildLimits)

    def build_folder(self, namespace: str, build: str) -> Path:
        return self.state / "builds" / namespace / build

    def cache(self, project_uid: str, what: str) -> Path:
        """A folder that only builds of one project ever see."""
        return self.state / "caches" / project_uid / what

    def builds_lock(self, project_uid: str) -> Path:
        """Held by each step of the project's builds. It is beside its caches, which one build at a time may see, and
        goes with them: never before the project's record is gone, and with it all builds to come."""
        return self.cache(project_uid, "lock")
