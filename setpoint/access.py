"""Who may do what at the embedded Kubernetes API: a token and kubeconfig for each part, rules from the contract."""

import hashlib
import json
import secrets

import yaml

from crds.names import account_namespace
from crds.roles import ROLES
from setpoint.installation import Installation, write_file

ADMIN = "admin"


def role_of(part: str) -> str:
    """`node-2` has the role `node`."""
    return part.split("-", 1)[0]


def ensure_access(installation: Installation, parts: list[str], port: int, handle: str) -> None:
    """Tokens are made once; kubeconfigs follow the port; the access file is what the API server reads."""
    tokens = {}
    for part in [ADMIN, *(part for part in parts if role_of(part) in ROLES)]:
        token = _token(installation, part)
        _write_kubeconfig(installation, part, token, port, account_namespace(handle))
        group = "system:masters" if part == ADMIN else f"setpoint:{role_of(part)}"
        user = "admin" if part == ADMIN else f"setpoint:{part}"
        tokens[hashlib.sha256(token.encode()).hexdigest()] = {"user": user, "groups": [group]}
    roles = {f"setpoint:{role}": [rule.wire() for rule in rules] for role, rules in ROLES.items()}
    write_file(installation.access_file, json.dumps({"tokens": tokens, "roles": roles}, indent=1))


def _token(installation: Installation, part: str) -> str:
    path = installation.kubeconfig(part)
    if path.exists():
        known = yaml.safe_load(path.read_text())
        return str(known["users"][0]["user"]["token"])
    return secrets.token_urlsafe(32)


def _write_kubeconfig(installation: Installation, part: str, token: str, port: int, namespace: str) -> None:
    """With the first account's namespace as the default, so that `kubectl get projects` shows what people look for."""
    server = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(installation.ca)}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "setpoint", "cluster": server}],
        "users": [{"name": part, "user": {"token": token}}],
        "contexts": [{"name": "setpoint", "context": {"cluster": "setpoint", "user": part, "namespace": namespace}}],
        "current-context": "setpoint",
    }
    text = yaml.safe_dump(config, sort_keys=False)
    path = installation.kubeconfig(part)
    if not path.exists() or path.read_text() != text:
        write_file(path, text)
