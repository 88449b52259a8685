"""What the way out is told at its start."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class EgressConfig:
    """`data_dir`: everything of it is in there. `fabric`: the folder of its keeper. `allow`: networks (CIDR) that
    projects may reach although they are not public; `allow_builds`: those that builds may reach besides.
    `resolv_conf`: names the machine's own name servers."""

    data_dir: Path
    fabric: Path
    allow: tuple[str, ...] = ()
    allow_builds: tuple[str, ...] = ()
    resolv_conf: Path = Path("/etc/resolv.conf")
