"""How the three programs of a control plane are started: etcd, the API server, the controllers that end what was owned
and namespaces. Pure."""

from dataclasses import dataclass
from pathlib import Path

_CONTROLLERS = "garbage-collector-controller,namespace-controller,serviceaccount-controller"
ISSUER = "https://kubernetes.default.svc"


@dataclass(frozen=True)
class PlaneConfig:
    """`folder` holds etcd's data. The certificate is for 127.0.0.1 and for both ends of a connection; whoever has one
    of `authority` may speak with etcd, which listens nowhere else. `tokens`: a CSV of token, user, uid, groups.
    `signing_key`, `signing_public` (a key or a certificate): of
    the tokens of service accounts. `encryption`: how Secrets are kept, None: as they are.
    `kubeconfig`: an administrator's, for the controllers."""

    programs: Path
    folder: Path
    port: int
    etcd_ports: tuple[int, int]
    certificate: Path
    key: Path
    authority: Path
    tokens: Path
    signing_key: Path
    signing_public: Path
    kubeconfig: Path
    encryption: Path | None = None


def etcd(config: PlaneConfig) -> list[str]:
    clients, peers = (f"https://127.0.0.1:{port}" for port in config.etcd_ports)
    return [
        str(config.programs / "etcd"),
        f"--data-dir={config.folder / 'etcd'}",
        f"--listen-client-urls={clients}",
        f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
        *_etcd_tls(config, ""),
        *_etcd_tls(config, "peer-"),
        "--log-level=warn",
    ]


def _etcd_tls(config: PlaneConfig, side: str) -> list[str]:
    return [
        f"--{side}cert-file={config.certificate}",
        f"--{side}key-file={config.key}",
        f"--{side}trusted-ca-file={config.authority}",
        f"--{side}client-cert-auth=true",
    ]


def api_server(config: PlaneConfig) -> list[str]:
    encryption = [f"--encryption-provider-config={config.encryption}"] if config.encryption else []
    return [
        str(config.programs / "kube-apiserver"),
        f"--etcd-servers=https://127.0.0.1:{config.etcd_ports[0]}",
        f"--etcd-cafile={config.authority}",
        f"--etcd-certfile={config.certificate}",
        f"--etcd-keyfile={config.key}",
        "--bind-address=127.0.0.1",
        f"--secure-port={config.port}",
        f"--tls-cert-file={config.certificate}",
        f"--tls-private-key-file={config.key}",
        f"--client-ca-file={config.authority}",
        f"--token-auth-file={config.tokens}",
        "--authorization-mode=RBAC",
        f"--service-account-issuer={ISSUER}",
        f"--service-account-key-file={config.signing_public}",
        f"--service-account-signing-key-file={config.signing_key}",
        "--service-cluster-ip-range=10.96.0.0/16",
        # There is no service to lead anybody to it, and loopback could not be its address.
        "--endpoint-reconciler-type=none",
        *encryption,
    ]


def controllers(config: PlaneConfig) -> list[str]:
    return [
        str(config.programs / "kube-controller-manager"),
        f"--kubeconfig={config.kubeconfig}",
        "--leader-elect=false",
        f"--controllers={_CONTROLLERS}",
        f"--service-account-private-key-file={config.signing_key}",
        f"--root-ca-file={config.authority}",
        "--bind-address=127.0.0.1",
        "--secure-port=0",
    ]
