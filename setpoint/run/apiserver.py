"""Runs the embedded Kubernetes API."""

from cluster.apiserver.config import ApiServerConfig
from cluster.apiserver.server import run as serve
from setpoint.installation import Installation
from setpoint.settings import Settings


async def run(_settings: Settings, installation: Installation, name: str) -> None:
    await serve(
        ApiServerConfig(
            data_dir=installation.folder("apiserver"),
            port=installation.saved_apiserver_port(),
            tls_cert=installation.certificate(name),
            tls_key=installation.key(name),
            client_ca=installation.ca,
            access_file=installation.access_file,
        )
    )
