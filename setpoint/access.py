"""Who is who at the Kubernetes API: the administrator's kubeconfig, and one for each part, with a token of its own
ServiceAccount."""

import hashlib
import json
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from crds.names import account_namespace
from setpoint.installation import Installation, write_file
from setpoint.settings import Settings

ADMIN = "admin"


class KubeconfigError(Exception):
    """A kubeconfig that cannot be used; the message says why."""


def admin_kubeconfig(settings: Settings, installation: Installation) -> Path:
    """That of the cluster which the user named, else of the embedded API."""
    return settings.kubeconfig or installation.kubeconfig(ADMIN)


def ensure_administrator(installation: Installation, port: int, handle: str) -> None:
    """Of an API server of our own: a token is made once; the kubeconfig follows the port."""
    path = installation.kubeconfig(ADMIN)
    token = token_of(path) if path.exists() else secrets.token_urlsafe(32)
    server = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(installation.ca)}
    write_kubeconfig(path, ADMIN, server, token, account_namespace(handle))
    digest = hashlib.sha256(token.encode()).hexdigest()
    tokens = {digest: {"user": ADMIN, "groups": ["system:masters"]}}
    write_file(installation.access_file, json.dumps({"tokens": tokens}, indent=1))


def write_kubeconfig(path: Path, user: str, server: dict[str, Any], token: str, namespace: str) -> None:
    """With the first account's namespace as the default, so that `kubectl get projects` shows what people look for."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "setpoint", "cluster": server}],
        "users": [{"name": user, "user": {"token": token}}],
        "contexts": [{"name": "setpoint", "context": {"cluster": "setpoint", "user": user, "namespace": namespace}}],
        "current-context": "setpoint",
    }
    text = yaml.safe_dump(config, sort_keys=False)
    if not path.exists() or path.read_text() != text:
        write_file(path, text)


def server_of(kubeconfig: Path) -> dict[str, Any]:
    """The cluster that its current context names, with paths that hold from anywhere. Raises KubeconfigError."""
    try:
        config = yaml.safe_load(kubeconfig.read_text())
        context = _named(config["contexts"], config["current-context"])["context"]
        cluster: dict[str, Any] = dict(_named(config["clusters"], context["cluster"])["cluster"])
        authority = cluster.get("certificate-authority")
        if authority:
            cluster["certificate-authority"] = str((kubeconfig.parent / authority).absolute())
        urlsplit(cluster["server"])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError, StopIteration) as error:
        raise KubeconfigError(
            f"{kubeconfig} is no kubeconfig with a current context, a cluster and a server ({type(error).__name__}); "
            "`kubectl config view` shows what is in one."
        ) from error
    return cluster


def own_server_port(kubeconfig: Path) -> int | None:
    """The port of an API server on this very machine; None for one elsewhere."""
    url = urlsplit(server_of(kubeconfig)["server"])
    if url.hostname in ("127.0.0.1", "localhost", "::1"):
        return url.port or 443
    return None


def token_of(kubeconfig: Path) -> str:
    """Of one that we wrote."""
    known = yaml.safe_load(kubeconfig.read_text())
    return str(known["users"][0]["user"]["token"])


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["name"] == name)
