"""What the router is told at its start."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RouterConfig:
    """`data_dir`: everything of the router is in there, one driver at a time. `host` (an IP address) and `port`: where
    projects are served, by plain http. `base_domain`: under which each project has its name, without a port.
    `fabric`: the folder of its keeper (None: instances share this machine's network). `tls_*`: certificate, key and
    authority of the listener for other parts. `identity`: who holds the Lease."""

    data_dir: Path
    kubeconfig: Path
    host: str
    port: int
    base_domain: str
    tls_cert: Path
    tls_key: Path
    tls_ca: Path
    identity: str
    renew_every: float = 5.0
    fabric: Path | None = None
