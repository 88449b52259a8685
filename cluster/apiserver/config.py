"""What the server needs to know before it starts."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ApiServerConfig:
    """Where the server keeps its state and how it is reached.

    `data_dir` holds `state.db` and `secrets.key` (both made on first start, mode 0600). `access_file` is JSON:
    `{"tokens": {sha256 hex: {"user", "groups"}}, "roles": {user or group: [rule]}}`. A client certificate signed by
    `client_ca` names its holder as well (CN is the user, O are the groups).
    """

    data_dir: Path
    port: int
    tls_cert: Path
    tls_key: Path
    access_file: Path
    host: str = "127.0.0.1"
    client_ca: Path | None = None
