"""Runs the API that holds the records: the embedded one, or a control plane of the installation's own."""

from cluster.apiserver.config import ApiServerConfig
from cluster.apiserver.server import run as serve
from setpoint.allocator import give_back_code
from setpoint.installation import Installation
from setpoint.records import REAL
from setpoint.settings import Settings


async def run(settings: Settings, installation: Installation, name: str) -> None:
    if settings.control_plane == REAL:
        await _run_control_plane(installation, name)
        return
    await serve(
        ApiServerConfig(
            data_dir=installation.folder("apiserver"),
            port=installation.saved_apiserver_port(),
            tls_cert=installation.certificate(name),
            tls_key=installation.key(name),
            client_ca=installation.ca,
            access_file=installation.access_file,
        ),
        give_back_code,
    )


async def _run_control_plane(installation: Installation, name: str) -> None:
    from cluster.controlplane.run import run as run_plane
    from setpoint.controlplane import build, plane_config

    await run_plane(plane_config(installation, name, build(print)))
