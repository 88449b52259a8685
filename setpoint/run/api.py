"""Runs the /v1 API."""

from functools import partial

from api.server import ApiConfig
from api.server import run as serve
from setpoint.inspect import inspect_repository, user_of_plans
from setpoint.installation import Installation
from setpoint.settings import Settings


async def run(settings: Settings, installation: Installation, name: str) -> None:
    config = ApiConfig(
        data_dir=installation.folder("api"),
        store_url=None,
        kubeconfig=installation.kubeconfig(name),
        host="127.0.0.1",
        port=settings.api_port,
        public_url=settings.api_url,
        base_domain=settings.base_domain,
        router_port=settings.router_port,
        tls_cert=installation.certificate(name),
        tls_key=installation.key(name),
        tls_ca=installation.ca,
        git_host=settings.git_host,
        rate_per_minute=settings.rate_per_minute,
    )
    uid = await user_of_plans(installation, settings)
    await serve(config, partial(inspect_repository, installation, settings, uid))
