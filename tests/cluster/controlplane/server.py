"""One control plane on loopback: etcd, the API server, and the controllers that end what was owned and namespaces."""

import contextlib
import json
import os
import signal
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cluster.controlplane.commands import PlaneConfig, api_server, controllers, etcd
from tests import lifeline
from tests.contract.apiserver.certificates import make_certificates
from tests.contract.apiserver.server import ADMIN_TOKEN, kubeconfig
from tests.ports import free_port

START_SECONDS = 90.0


@dataclass
class ControlPlane:
    """`programs`: the folder that `build.programs` answers. The same in its members as the embedded server of tests."""

    folder: Path
    programs: Path
    port: int = field(default_factory=free_port)
    etcd_ports: tuple[int, int] = field(default_factory=lambda: (free_port(), free_port()))
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    token = ADMIN_TOKEN

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def certificates(self) -> Path:
        return self.folder / "certs"

    @property
    def ca(self) -> Path:
        return self.certificates / "ca.crt"

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.ca))

    def start(self) -> None:
        """Returns when the API server is ready; raises with the end of the logs when it is not."""
        self._prepare()
        self._spawn("etcd", etcd(self._config))
        self._spawn("kube-apiserver", api_server(self._config))
        self._await_ready()
        self._spawn("kube-controller-manager", controllers(self._config))

    def restart_apiserver(self) -> None:
        """After it was killed: whoever runs a cluster does that. Returns when it is ready."""
        self.processes["kube-apiserver"].wait()
        self._spawn("kube-apiserver", api_server(self._config))
        self._await_ready()

    def stop(self) -> None:
        for process in reversed(self.processes.values()):
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.processes.clear()

    def _prepare(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        make_certificates(self.certificates)
        self.kubeconfig.write_text(json.dumps(kubeconfig(self.url, self.ca, self.token)))
        tokens = self.folder / "tokens.csv"
        tokens.write_text(f'{self.token},admin,admin,"system:masters"\n')
        tokens.chmod(0o600)

    def _spawn(self, name: str, command: list[str]) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
                preexec_fn=lifeline.end_with_parent,
            )

    @property
    def _config(self) -> PlaneConfig:
        certs = self.certificates
        return PlaneConfig(
            programs=self.programs,
            folder=self.folder,
            port=self.port,
            etcd_ports=self.etcd_ports,
            certificate=certs / "server.crt",
            key=certs / "server.key",
            authority=self.ca,
            tokens=self.folder / "tokens.csv",
            signing_key=certs / "server.key",
            signing_public=certs / "server.crt",
            kubeconfig=self.kubeconfig,
        )

    def _await_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self._ready():
            ended = [name for name, process in self.processes.items() if process.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise RuntimeError(f"the control plane did not start:\n{self._tails()}")
            time.sleep(0.05)

    def _ready(self) -> bool:
        request = urllib.request.Request(f"{self.url}/readyz", headers={"Authorization": f"Bearer {self.token}"})
        with contextlib.suppress(OSError), urllib.request.urlopen(request, context=self.context(), timeout=2) as answer:
            return bool(answer.status == 200)
        return False

    def _tails(self) -> str:
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-2000:]}" for log in self.folder.glob("*.log"))


@contextlib.contextmanager
def running(folder: Path, programs: Path) -> Iterator[ControlPlane]:
    """A started one that is gone afterwards."""
    plane = ControlPlane(folder, programs)
    try:
        plane.start()
        yield plane
    finally:
        plane.stop()
