"""Runs the router's driver."""

from cluster.router.config import RouterConfig
from cluster.router.driver import run as drive
from setpoint.installation import Installation
from setpoint.settings import Settings


async def run(settings: Settings, installation: Installation, name: str) -> None:
    await drive(
        RouterConfig(
            data_dir=installation.folder("router"),
            kubeconfig=installation.kubeconfig(name),
            host="127.0.0.1",
            port=settings.router_port,
            base_domain=settings.base_domain,
            tls_cert=installation.certificate(name),
            tls_key=installation.key(name),
            tls_ca=installation.ca,
            identity=installation.identity(name),
            fabric=installation.folder("fabric"),
        )
    )
