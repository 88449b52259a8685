"""The real control plane of an installation (`--control-plane real`): its programs, and the files they need."""

import base64
import json
import secrets
import socket
from collections.abc import Callable
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from cluster.controlplane.build import CACHE, BuildFailed, programs
from cluster.controlplane.commands import PlaneConfig
from setpoint.access import ADMIN, token_of
from setpoint.installation import Installation, InstallationError, read_json, write_file

_FOLDER = "controlplane"


def build(say: Callable[[str], None]) -> Path:
    """The folder of the programs, built if need be. Raises InstallationError."""
    try:
        return programs(CACHE, say)
    except BuildFailed as error:
        raise InstallationError(f"The control plane could not be built. {error}") from error


def ensure_files(installation: Installation) -> None:
    """The administrator's token, how Secrets are kept, whose tokens are ours, where etcd listens. Safe to repeat."""
    folder = installation.folder(_FOLDER)
    token = token_of(installation.kubeconfig(ADMIN))
    write_file(folder / "tokens.csv", f'{token},{ADMIN},{ADMIN},"system:masters"\n')
    for name, make in (
        ("encryption.json", _encryption),
        ("service-accounts.key", _signing_key),
        ("ports.json", _ports),
    ):
        if not (folder / name).exists():
            write_file(folder / name, make())
    write_file(folder / "service-accounts.pub", _public((folder / "service-accounts.key").read_bytes()))


def plane_config(installation: Installation, name: str, programs_folder: Path) -> PlaneConfig:
    folder = installation.folder(_FOLDER)
    ports = read_json(folder / "ports.json") or {}
    return PlaneConfig(
        programs=programs_folder,
        folder=folder,
        port=installation.saved_apiserver_port(),
        etcd_ports=(int(ports["clients"]), int(ports["peers"])),
        certificate=installation.certificate(name),
        key=installation.key(name),
        authority=installation.ca,
        tokens=folder / "tokens.csv",
        signing_key=folder / "service-accounts.key",
        signing_public=folder / "service-accounts.pub",
        kubeconfig=installation.kubeconfig(ADMIN),
        encryption=folder / "encryption.json",
    )


def _encryption() -> str:
    """Secrets are sealed before etcd has them, as the embedded API seals them."""
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    providers = [{"secretbox": {"keys": [{"name": "first", "secret": key}]}}, {"identity": {}}]
    return json.dumps(
        {
            "apiVersion": "apiserver.config.k8s.io/v1",
            "kind": "EncryptionConfiguration",
            "resources": [{"resources": ["secrets"], "providers": providers}],
        },
        indent=1,
    )


def _signing_key() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return key.private_bytes(encoding, form, serialization.NoEncryption()).decode()


def _public(private: bytes) -> str:
    key = serialization.load_pem_private_key(private, None).public_key()
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_bytes(serialization.Encoding.PEM, form).decode()


def _ports() -> str:
    """Two that are free now: they stay the same, as etcd keeps its own address with its data."""
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        return json.dumps({"clients": first.getsockname()[1], "peers": second.getsockname()[1]})
