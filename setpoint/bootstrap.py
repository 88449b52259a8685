"""What must be there before the parts can work: the kinds, the parts' rights and tokens, the first account and its
owner.
Safe to repeat; every start does it, so an update of the kinds arrives too."""

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from api.identity.owner import ensure_owner, replace_owner_key
from cluster.scheduler.liveness import NODE_LEASE_PREFIX
from crds.client.client import Client
from crds.client.errors import ApiError, NotFound, Unavailable
from crds.definition import definition
from crds.kinds import KINDS
from crds.models.account import Account
from crds.models.computenode import ComputeNode
from crds.models.core import CustomResourceDefinition, Lease, Namespace
from crds.names import SYSTEM_NAMESPACE, record_id
from setpoint.access import admin_kubeconfig
from setpoint.identities import ensure_roles, give_tokens
from setpoint.installation import Installation, read_json, write_file
from setpoint.parts import former_nodes
from setpoint.settings import Settings

T = TypeVar("T")
_PATIENCE_SECONDS = 30.0


class BootstrapError(Exception):
    """The installation could not be made ready; the message says what to look at."""


async def bootstrap(settings: Settings, installation: Installation) -> None:
    client = await Client.open(admin_kubeconfig(settings, installation), "setpoint-up")
    try:
        await _patiently(lambda: client.apply(Namespace, {"metadata": {"name": SYSTEM_NAMESPACE}}, force=True))
        await asyncio.gather(*(_ensure_kind(client, definition(kind.model)) for kind in KINDS))
        await ensure_roles(client)
        await give_tokens(client, settings, installation)
        await _forget(client, [part.name for part in former_nodes(settings, installation)])
        account = await _patiently(lambda: _ensure_account(client, settings))
    finally:
        await client.close()
    await _ensure_credentials(settings, installation, account)


async def renew(settings: Settings, installation: Installation) -> None:
    """The parts' tokens, before they end. A part reads its own anew when the one it has is refused."""
    client = await Client.open(admin_kubeconfig(settings, installation), "setpoint-up")
    try:
        await give_tokens(client, settings, installation)
    finally:
        await client.close()


async def _patiently(attempt: Callable[[], Awaitable[T]]) -> T:
    """The API server was started a moment ago: try until it answers."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return await attempt()
        except (Unavailable, NotFound) as error:
            if time.monotonic() > until:
                raise BootstrapError(f"The Kubernetes API does not answer: {error}") from error
            await asyncio.sleep(0.02)


async def _ensure_kind(client: Client, wanted: dict[str, object]) -> None:
    try:
        await client.apply(CustomResourceDefinition, wanted, force=True)
    except ApiError as error:
        meta = wanted["metadata"]
        raise BootstrapError(f"The kind {meta} was refused: {error}") from error


async def _forget(client: Client, nodes: list[str]) -> None:
    """So that nobody waits for them."""
    for name in nodes:
        with contextlib.suppress(NotFound):
            await client.delete(ComputeNode, name)
        with contextlib.suppress(NotFound):
            await client.delete(Lease, NODE_LEASE_PREFIX + name, SYSTEM_NAMESPACE)


async def _ensure_account(client: Client, settings: Settings) -> Account:
    try:
        return await client.get(Account, settings.handle)
    except NotFound:
        spec = {"displayName": settings.handle, "operator": True}
        return await client.apply(Account, {"metadata": {"name": settings.handle}, "spec": spec})


async def _owner_key(settings: Settings, installation: Installation, account_id: str) -> str:
    """The first owner's key; a new one when a start was killed before it had written the first one down."""
    store = f"sqlite:///{installation.folder('api') / 'store.db'}"
    email = f"owner@{settings.handle}.setpoint.local"
    owner = await ensure_owner(store, handle=settings.handle, email=email, account_id=account_id)
    key = owner.api_key or await replace_owner_key(store, account_id=account_id)
    if key is None:
        raise BootstrapError(f"The account {settings.handle} has an owner, but no key of theirs could be made.")
    return key


async def _ensure_credentials(settings: Settings, installation: Installation, account: Account) -> None:
    """The first start makes an owner and a key; later ones only bring the addresses up to date."""
    known = read_json(installation.credentials) or {}
    if not known.get("apiKey"):
        known = {"apiKey": await _owner_key(settings, installation, record_id("acc", account.uid))}
    credentials = {
        "apiUrl": settings.api_url,
        "routerUrl": settings.router_url,
        "apiKey": known["apiKey"],
        "accountId": record_id("acc", account.uid),
        "handle": settings.handle,
        "kubeconfig": str(admin_kubeconfig(settings, installation)),
    }
    if credentials != read_json(installation.credentials):
        write_file(installation.credentials, json.dumps(credentials, indent=2) + "\n")
