"""A real server process of its own for tests: temporary data folder, CA, tokens, kubeconfig.

    with running(tmp_path) as server:
        server.url, server.token, server.ca, server.kubeconfig

Other tests may use it too. `stop`, `kill` and `start` take the process down and bring it back on the same data.
"""

import contextlib
import hashlib
import json
import os
import signal
import ssl
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import lifeline
from tests.contract.apiserver.certificates import make_certificates
from tests.ports import free_port

MAIN = (
    lifeline.WATCH
    + """
import asyncio, sys
from pathlib import Path
from typing import Any
import uvloop
from cluster.apiserver.config import ApiServerConfig
from cluster.apiserver.server import run
from setpoint.child import collect_rarely
collect_rarely()
data, port, certs, access = sys.argv[1:5]
config = ApiServerConfig(
    data_dir=Path(data), port=int(port), tls_cert=Path(certs, "server.crt"), tls_key=Path(certs, "server.key"),
    access_file=Path(access), client_ca=Path(certs, "ca.crt"),
)
uvloop.run(run(config, lambda: print("ready", flush=True)))
"""
)
ADMIN_TOKEN = "admin-token-for-tests"
RBAC = "rbac.authorization.k8s.io/v1"
ROOT = Path(__file__).parents[3]
START_SECONDS = 20.0

Rules = list[dict[str, list[str]]]


@dataclass
class Server:
    """One server on one data folder; the port stays the same over restarts. `inside`: the command that runs it in
    another place; `prelude`: what its program does first."""

    folder: Path
    port: int
    process: "subprocess.Popen[bytes] | None" = None
    tokens: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    inside: list[str] = field(default_factory=list)
    prelude: str = ""

    token = ADMIN_TOKEN

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def ca(self) -> Path:
        return self.folder / "certs" / "ca.crt"

    @property
    def data_dir(self) -> Path:
        return self.folder / "data"

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.ca))

    def prepare(self) -> None:
        make_certificates(self.folder / "certs")
        self.write_access()
        self.kubeconfig.write_text(json.dumps(kubeconfig(self.url, self.ca, self.token)))

    def grant(self, token: str, user: str, groups: list[str], rules: Rules) -> None:
        """Add a token and what its user may do, everywhere."""
        self.tokens[token] = (user, groups)
        self.write_access()
        self.bind({"kind": "User", "name": user}, rules)

    def bind(self, subject: dict[str, str], rules: Rules, namespace: str = "") -> None:
        """Let somebody do this: in one namespace, or everywhere."""
        kind, place = ("Role", f"namespaces/{namespace}/roles") if namespace else ("ClusterRole", "clusterroles")
        api = f"{self.url}/apis/{RBAC}"
        name = f"{subject['name']}-{uuid.uuid4().hex[:8]}"
        head = {"apiVersion": RBAC, "metadata": {"name": name}}
        reference = {"apiGroup": RBAC.partition("/")[0], "kind": kind, "name": name}
        self._post(f"{api}/{place}", {**head, "kind": kind, "rules": rules})
        bound = {**head, "kind": f"{kind}Binding", "roleRef": reference, "subjects": [subject]}
        self._post(f"{api}/{place.removesuffix('s')}bindings", bound)

    def _post(self, url: str, body: dict[str, Any]) -> None:
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, context=self.context(), timeout=10):
            pass

    def write_access(self) -> None:
        entries = {ADMIN_TOKEN: ("admin", ["system:masters"]), **self.tokens}
        tokens = {
            hashlib.sha256(token.encode()).hexdigest(): {"user": user, "groups": groups}
            for token, (user, groups) in entries.items()
        }
        temporary = self.folder / "access.json.new"
        temporary.write_text(json.dumps({"tokens": tokens}))
        temporary.replace(self.folder / "access.json")

    def start(self) -> None:
        """Returns when the server answers; fails with the end of its log."""
        arguments = [str(self.data_dir), str(self.port), str(self.folder / "certs"), str(self.folder / "access.json")]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.inside, sys.executable, "-c", self.prelude + MAIN, *arguments],
                cwd=ROOT,
                stdin=lifeline.STDIN,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start:\n{self.log.read_text()[-4000:]}")
            time.sleep(0.02)

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=15)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def _answers(self) -> bool:
        request = urllib.request.Request(f"{self.url}/readyz")
        with contextlib.suppress(OSError), urllib.request.urlopen(request, context=self.context(), timeout=2) as answer:
            return bool(answer.status == 200)
        return False


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Server]:
    """A started server that is gone afterwards."""
    server = prepared(folder)
    server.start()
    try:
        yield server
    finally:
        if server.process is not None and server.process.poll() is None:
            server.kill()


def prepared(folder: Path) -> Server:
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(folder, free_port())
    server.prepare()
    return server


def kubeconfig(url: str, ca: Path, token: str) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": {"server": url, "certificate-authority": str(ca)}}],
        "users": [{"name": "test", "user": {"token": token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": "default"}}],
        "current-context": "test",
    }
