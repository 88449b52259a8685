"""What the way out is told at its start."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class EgressConfig:
    """`data_dir`: everything of it is in there. `fabric`: the folder of its keeper. `allow`: networks (CIDR) that
    projects may reach although they are not public; `allow_builds`: those that builds may reach besides.
    `resolv_conf`: names the machine's own name servers, which answer at `names_port`. `denied_ports`: of whatever
    address; mail from a shared address ruins it for all, so it goes by a provider's submission port. `kubeconfig`: of
    the records that tell who is at which address (None: nobody has a list of his own, and no use is kept).
    `siblings`: the socket at which the router takes what instances call <name>.internal."""

    data_dir: Path
    fabric: Path
    siblings: Path
    allow: tuple[str, ...] = ()
    allow_builds: tuple[str, ...] = ()
    resolv_conf: Path = Path("/etc/resolv.conf")
    names_port: int = 53
    denied_ports: tuple[int, ...] = (25,)
    kubeconfig: Path | None = None
