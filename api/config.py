"""The settings of the API's part."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True)
class ApiConfig:
    """`data_dir`: the API's own folder. `store_url` None: SQLite in that folder. `tls_*`: our certificate towards the
    nodes and the router, and the installation's CA. `hosts`: more names that the API answers under."""

    data_dir: Path
    kubeconfig: Path
    host: str
    port: int
    public_url: str
    base_domain: str
    router_port: int
    tls_cert: Path
    tls_key: Path
    tls_ca: Path
    store_url: str | None = None
    git_host: str = "https://github.com"
    rate_per_minute: int = 600
    trusted_proxies: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    @property
    def sql_url(self) -> str:
        return self.store_url or f"sqlite:///{self.data_dir / 'store.db'}"

    @property
    def host_names(self) -> tuple[str, ...]:
        public = urlsplit(self.public_url).hostname or ""
        return (public, self.host, "localhost", "127.0.0.1", "::1", *self.hosts)
