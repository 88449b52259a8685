"""What libraries prepare when they are first used (tables of TLS, compiled patterns, caches), prepared once, in the
process that all parts are forked from: they share it, a megabyte each."""

import asyncio
import contextlib
from pathlib import Path

from crds.client.client import Client
from crds.client.errors import ApiError
from crds.models.account import Account


def warm_up(kubeconfig: Path) -> None:
    """Ask the API for something, and forget the answer. Leaves neither threads nor connections behind."""
    with contextlib.suppress(ApiError):
        asyncio.run(_ask(kubeconfig))


async def _ask(kubeconfig: Path) -> None:
    client = await Client.open(kubeconfig, "setpoint-up")
    try:
        await client.list(Account)
    finally:
        await client.close()
