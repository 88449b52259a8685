"""What one node agent is told at its start."""

from dataclasses import dataclass, field
from pathlib import Path

from cluster.sandbox.machine import this_machine
from cluster.sandbox.view import Machine


@dataclass(frozen=True)
class NodeConfig:
    """`data_dir` is the installation's; `cpu` (cores), `memory_bytes` and `instances` are this node's share.
    `promised_cpu`: cores that its instances may be promised in all (None: as many as `cpu`).

    `allow_addresses`: CIDRs that repositories may be read from although they are not public.
    `allow_ports`: TCP ports that instances and builds may connect to where they share this machine's network.
    `machine`: what every sandbox sees of it.
    `python`: the interpreter that Python projects run on.
    `disk_quota`: bytes that one project may take of the disk.
    `fabric`: the folder of its keeper (None: instances share this machine's network).
    `sole_namespace`: whose code alone runs where instances share a network (None: anybody's).
    `git_ca`: a PEM file of CAs that git trusts beside the system's, for repositories over https."""

    name: str
    data_dir: Path
    kubeconfig: Path
    tls_cert: Path
    tls_key: Path
    tls_ca: Path
    cpu: float
    memory_bytes: int
    python: Path
    host: str = "127.0.0.1"
    port: int = 0
    instances: int = 200
    promised_cpu: float | None = None
    disk_quota: int = 10 * 1024**3
    allow_addresses: tuple[str, ...] = ()
    allow_ports: tuple[int, ...] = (53, 80, 443)
    machine: Machine = field(default_factory=this_machine)
    git_ca: Path | None = None
    fabric: Path | None = None
    sole_namespace: str | None = None

    @property
    def state(self) -> Path:
        return self.data_dir / "nodes" / self.name
