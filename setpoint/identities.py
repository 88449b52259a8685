"""What each part is at the Kubernetes API: the roles of `manifests/rbac`, and a token of its ServiceAccount."""

import asyncio
import json
import time
from datetime import datetime
from typing import Any

from crds.client.client import Client
from crds.models.rbac import ServiceAccount
from crds.names import SYSTEM_NAMESPACE, account_namespace
from crds.rbac import account_of, applied, manifests
from crds.roles import PARTS
from setpoint.access import admin_kubeconfig, server_of, write_kubeconfig
from setpoint.installation import Installation, write_file
from setpoint.parts import parts_of
from setpoint.renewal import TOKENS
from setpoint.settings import Settings

# What is asked for; a cluster may give less.
_LIFE_SECONDS = 90 * 24 * 3600


async def ensure_roles(client: Client) -> None:
    """Apply the manifests, as `kubectl apply -k manifests/rbac` does."""
    await asyncio.gather(*(client.apply(type(record), applied(record), force=True) for record in manifests()))


async def give_tokens(client: Client, settings: Settings, installation: Installation) -> None:
    """A new token for every part, and a note of when half of its life is over."""
    server = server_of(admin_kubeconfig(settings, installation))
    namespace = account_namespace(settings.handle)
    by_role = dict(zip(PARTS, await asyncio.gather(*(_token(client, part) for part in PARTS)), strict=True))
    for part in parts_of(settings):
        if part.role in by_role:
            token, _ = by_role[part.role]
            write_kubeconfig(installation.kubeconfig(part.name), part.name, server, token, namespace)
    ends = min(ends for _, ends in by_role.values())
    now = time.time()
    write_file(installation.run / TOKENS, json.dumps({"renewAt": now + (ends - now) / 2}))


async def _token(client: Client, part: str) -> tuple[str, float]:
    """(the token, when it ends in seconds since the epoch)"""
    path = ServiceAccount.resource.path(SYSTEM_NAMESPACE, account_of(part)) + "/token"
    spec = {"expirationSeconds": _LIFE_SECONDS}
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
    answer: dict[str, Any] = (await client.transport.request("POST", path, body=asked))["status"]
    return answer["token"], datetime.fromisoformat(answer["expirationTimestamp"]).timestamp()
