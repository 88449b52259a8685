"""The data folder of one installation: where each thing is, made with narrow modes, held by one `up` at a time."""

import fcntl
import hashlib
import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class InstallationError(Exception):
    """The data folder cannot be used; the message says why and what would help."""


@dataclass(frozen=True)
class Installation:
    """Paths under DIR; see `docs/architecture.md` for what is in each."""

    root: Path

    @property
    def pki(self) -> Path:
        return self.root / "pki"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def credentials(self) -> Path:
        return self.root / "credentials.json"

    @property
    def access_file(self) -> Path:
        return self.root / "apiserver" / "access.json"

    def kubeconfig(self, part: str) -> Path:
        return self.root / "kubeconfig" / f"{part}.yaml"

    def certificate(self, part: str) -> Path:
        return self.pki / f"{part}.crt"

    def key(self, part: str) -> Path:
        return self.pki / f"{part}.key"

    @property
    def ca(self) -> Path:
        return self.pki / "ca.crt"

    def folder(self, name: str) -> Path:
        """The folder of a part, made if need be."""
        path = self.root / name
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def identity(self, part: str) -> str:
        """Who a part is when it holds a Lease: the same after a restart, so that it need not wait for its own."""
        return f"{part}-{hashlib.sha256(str(self.root).encode()).hexdigest()[:8]}"

    def prepare(self) -> None:
        try:
            for name in (".", "pki", "kubeconfig", "run", "apiserver", "api", "router", "artifacts", "nodes"):
                self.folder(name)
        except OSError as error:
            raise InstallationError(
                f"The data folder {self.root} cannot be made ({error.strerror}): choose another with --data-dir."
            ) from error
        self.root.chmod(0o700)

    def lock(self) -> int:
        """Hold the installation; the answer is the descriptor that holds it. Raises when another `up` does."""
        descriptor = os.open(self.run / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise InstallationError(
                f"Setpoint already runs on {self.root}: `setpoint status` shows it; for a second one, choose another "
                "--data-dir, --api-port and --router-port."
            ) from error
        return descriptor

    def apiserver_port(self) -> int:
        """The same port every time, unless somebody else took it meanwhile."""
        path = self.root / "apiserver" / "port"
        known = int(path.read_text()) if path.exists() else 0
        port = known if known and _is_free(known) else _free_port()
        if port != known:
            write_file(path, f"{port}\n")
        return port

    def saved_apiserver_port(self) -> int:
        return int((self.root / "apiserver" / "port").read_text())


def write_file(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace the file at once: a reader sees the old one or the new one, and only the owner sees either."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def read_json(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def port_problem(flag: str, port: int, free: Callable[[int], bool] = _is_free) -> str | None:
    """Why we cannot listen there, as a sentence."""
    if free(port):
        return None
    return f"Port {port} is in use: choose another with {flag}."
