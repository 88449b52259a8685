"""What `setpoint up` says once the parts answer: where everything is, and on a new installation a first deploy."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crds.client.client import Client
from crds.client.errors import ApiError
from crds.conditions import find, is_true
from crds.models.account import Account
from crds.models.computenode import ComputeNode
from setpoint.access import admin_kubeconfig
from setpoint.installation import Installation, read_json
from setpoint.settings import Settings
from setpoint.v1 import V1, ApiProblem

_PATIENCE_SECONDS = 60.0
_EXAMPLE = Path(__file__).parent.parent / "examples" / "hello"
_PROJECT = "hello"


def guide(settings: Settings, installation: Installation, began: float, *, first: bool) -> None:
    """Wait until everything answers, say so, and deploy the example on a new installation."""
    credentials = read_json(installation.credentials) or {}
    api = V1(settings.api_url, str(credentials.get("apiKey") or ""))
    nodes = asyncio.run(_answering(settings, installation, api))
    _print_addresses(settings, installation, nodes, time.monotonic() - began)
    if first:
        print(f"  API key        {_key_line(str(credentials['apiKey']), installation)}", flush=True)
    _print_walls(nodes)
    if settings.example and (first or _waiting(installation).exists()):
        _example(installation, api, nodes)
    print("\nCtrl-C stops everything.", flush=True)


def _key_line(key: str, installation: Installation) -> str:
    kept = f"kept in {installation.credentials}"
    return kept if _into_the_journal() else f"{key}   (shown once; {kept})"


def _into_the_journal() -> bool:
    """Which others may read, too: no place for a key."""
    about = os.fstat(sys.stdout.fileno())
    return os.environ.get("JOURNAL_STREAM") == f"{about.st_dev}:{about.st_ino}"


def _refused(node: ComputeNode) -> bool:
    """It cannot run anything, and will not by itself."""
    sandbox = find(node.status.conditions, "Sandbox")
    return sandbox is not None and sandbox.status == "False"


def _waiting(installation: Installation) -> Path:
    """Is there while the example waits for a machine that can run it."""
    return installation.root / "example-waits"


async def _answering(settings: Settings, installation: Installation, api: V1) -> list[ComputeNode]:
    client = await Client.open(admin_kubeconfig(settings, installation), "setpoint-up")
    until = time.monotonic() + _PATIENCE_SECONDS
    nodes: list[ComputeNode] = []
    try:
        while time.monotonic() < until:
            try:
                nodes, _ = await client.list(ComputeNode)
                account = await client.get(Account, settings.handle)
            except ApiError:
                nodes, account = [], None
            router = (installation.root / "router" / "ready").exists() or _listens(settings.router_port)
            there = account is not None and account.status.namespace is not None
            if sum(map(_has_said, nodes)) >= settings.nodes and there and router and api.ready():
                return nodes
            await asyncio.sleep(0.02)
    finally:
        await client.close()
    print("Not everything answers after a minute: `setpoint status` shows what is missing.", flush=True)
    return nodes


def _has_said(node: ComputeNode) -> bool:
    """What it is, since it was started: what it said before names an address at which nobody listens any more."""
    port = urlsplit(node.status.endpoint or "").port
    known = is_true(node.status.conditions, "Ready") or _refused(node)
    return known and port is not None and _listens(port)


def _listens(port: int) -> bool:
    import socket

    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _print_addresses(settings: Settings, installation: Installation, nodes: list[ComputeNode], seconds: float) -> None:
    status = nodes[0].status if nodes else None
    walls = f"sandbox: {status.sandbox}, network: {status.network}, limits: {status.limits}" if status else "no node"
    how = "up, but this machine lets it run nothing yet" if nodes and all(map(_refused, nodes)) else "ready"
    print(
        f"\nSetpoint is {how} ({seconds:.1f} s).\n"
        f"  API            {settings.api_url}\n"
        f"  projects       http://<project>--<account>.{settings.base_domain}:{settings.router_port}/\n"
        f"  kubeconfig     {admin_kubeconfig(settings, installation)}\n"
        f"  walls          {walls}",
        flush=True,
    )


def _print_walls(nodes: list[ComputeNode]) -> None:
    """Where a wall cannot stand, the node knows the line that would allow it."""
    for node in nodes[:1]:
        for name in ("Sandbox", "Network", "Limits"):
            condition = find(node.status.conditions, name)
            if condition is not None and condition.status == "False":
                print(f"\nA wall is missing. {condition.message}", flush=True)


def _example(installation: Installation, api: V1, nodes: list[ComputeNode]) -> None:
    if nodes and all(map(_refused, nodes)):
        _waiting(installation).touch()
        print("\nStop with Ctrl-C, allow it, and start again: the example is deployed then.", flush=True)
        return
    try:
        _deploy_example(installation, api)
        _waiting(installation).unlink(missing_ok=True)
    except ApiProblem as problem:
        print(f"\nThe example could not be deployed: {problem}", flush=True)


def _deploy_example(installation: Installation, api: V1) -> None:
    repository = _example_repository(installation)
    print(f"\nA first project: {_PROJECT}, from {repository}", flush=True)
    project = api.call("POST", "/v1/projects", {"name": _PROJECT})
    api.call("POST", f"/v1/projects/{project['id']}/git", {"repo": str(repository), "branch": "main"})
    done: dict[str, Any] = {}
    for event, data in api.stream(f"/v1/projects/{project['id']}/deploy/stream"):
        if event == "log":
            print(f"  {data['phase']:<9} {data['line']}", flush=True)
        elif event == "done":
            done = data
    if done.get("status") != "live":
        print(f"\nThe deploy ended as {done.get('status')}: {(done.get('error') or {}).get('message')}", flush=True)
        return
    print(f"\nServed:  curl {done['url']}", flush=True)


def _example_repository(installation: Installation) -> Path:
    """A repository of its own, so that it can be changed and deployed again."""
    repository = installation.folder("examples") / _PROJECT
    if not (repository / ".git").exists():
        shutil.copytree(_EXAMPLE, repository, dirs_exist_ok=True)
        who = ["-c", "user.name=Setpoint", "-c", "user.email=setpoint@localhost"]
        for arguments in (["init", "-q", "-b", "main"], ["add", "."], [*who, "commit", "-q", "-m", "Say hello"]):
            subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True)
    return repository
