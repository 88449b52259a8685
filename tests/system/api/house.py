"""A real API process on a real embedded Kubernetes API, with accounts, keys, and a node that the tests play."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from api.identity.ids import new_id
from api.identity.keys import new_key, new_row
from api.identity.owner import ensure_owner
from api.store import people
from api.store.database import Database
from api.store.rows import Membership, NewKey, User
from crds.client.client import Client
from crds.definition import definition
from crds.kinds import KINDS
from crds.models.account import Account
from crds.models.core import CustomResourceDefinition, Namespace
from crds.models.record import Metadata
from crds.names import SYSTEM_NAMESPACE, account_namespace, record_id
from tests import lifeline
from tests.contract.apiserver.server import ROOT, Server, running
from tests.ports import free_port

MAIN = (
    lifeline.WATCH
    + """
import asyncio, contextlib, json, logging, signal, sys
from pathlib import Path
import uvloop
from api.inspecting import InspectionFailed
from api.server import ApiConfig, run
from planning.inspection import Inspection
logging.basicConfig(level="INFO")
settings = json.loads(sys.argv[1])
paths = ("data_dir", "kubeconfig", "tls_cert", "tls_key", "tls_ca")
settings.update({name: Path(settings[name]) for name in paths})
folder = Path(sys.argv[2])

async def inspect(repository, ref, path):
    # A folder stands for the repository: what a plan sees of it.
    if ref == "gone":
        raise InspectionFailed("There is no branch, tag or commit named gone.")
    root = folder / repository.rstrip("/").rpartition("/")[2] / path
    files = sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
    return Inspection("c" * 40, "message", tuple(files), {name: (root / name).read_text() for name in files})


async def until_stopped():
    # As the front door does it: Python's own way of ending a loop on SIGINT can miss one under uvloop.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await run(ApiConfig(**settings), inspect)

uvloop.run(until_stopped())
"""
)
START_SECONDS = 20.0
HANDLES = ("main", "other", "below")


def _add_keys(connection: Connection, rows: list[NewKey]) -> None:
    for row in rows:
        people.add_key(connection, row)


@dataclass
class House:
    """`keys`: name -> secret. `main` is the operator's account, `below` its sub-account, `other` a stranger's."""

    folder: Path
    server: Server
    port: int
    keys: dict[str, str] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def store_url(self) -> str:
        return f"sqlite:///{self.folder / 'api' / 'store.db'}"

    @property
    def repositories(self) -> Path:
        return self.folder / "repositories"

    @property
    def log(self) -> str:
        return (self.folder / "api.log").read_text()

    @contextlib.asynccontextmanager
    async def client(self, manager: str = "tests") -> AsyncIterator[Client]:
        client = await Client.open(self.server.kubeconfig, manager)
        try:
            yield client
        finally:
            await client.close()

    def prepare(self, **settings: Any) -> None:
        certs = self.server.folder / "certs"
        (self.folder / "api").mkdir(exist_ok=True)
        self.repositories.mkdir(exist_ok=True)
        self.settings = {
            "data_dir": str(self.folder / "api"),
            "kubeconfig": str(self.server.kubeconfig),
            "host": "127.0.0.1",
            "port": self.port,
            "public_url": self.url,
            "base_domain": "localhost",
            "router_port": 8080,
            "tls_cert": str(certs / "client.crt"),
            "tls_key": str(certs / "client.key"),
            "tls_ca": str(certs / "ca.crt"),
            "rate_per_minute": 1_000_000,
            **settings,
        }
        asyncio.run(self._people())

    async def _people(self) -> None:
        async with self.client() as client:
            await client.create(Namespace(metadata=Metadata(name=SYSTEM_NAMESPACE)))
            for kind in KINDS:
                await client.apply(CustomResourceDefinition, definition(kind.model), force=True)
            for handle in HANDLES:
                spec = {"operator": handle == "main", "parent": "main" if handle == "below" else ""}
                body = {"metadata": {"name": handle}, "spec": spec}
                self.accounts[handle] = await client.apply(Account, body, force=True)
                await client.create(Namespace(metadata=Metadata(name=account_namespace(handle))))
        for handle in ("main", "other"):
            owner = await ensure_owner(
                self.store_url, handle=handle, account_id=self.account_id(handle), email=f"owner@{handle}.example"
            )
            self.keys["admin" if handle == "main" else "other"] = owner.api_key or ""
            if handle == "main":
                await self._more_keys(owner.user_id)

    async def _more_keys(self, owner_id: str) -> None:
        now = datetime.now(UTC)
        account = self.account_id("main")
        viewer = User(id=new_id("usr"), email="viewer@main.example", name="Viewer", created_at=now)
        seat = Membership(user_id=viewer.id, account_id=account, role="viewer", created_at=now)
        makers = {"read": (owner_id, "read"), "deploy": (owner_id, "deploy"), "viewer": (viewer.id, "admin")}
        rows = []
        for name, (user_id, scope) in makers.items():
            self.keys[name] = new_key()
            rows.append(new_row(self.keys[name], account_id=account, user_id=user_id, name=name, scope=scope, now=now))
        database = Database(self.store_url)
        await database.run(lambda connection: people.add_user(connection, viewer))
        await database.run(lambda connection: people.add_member(connection, seat))
        await database.run(lambda connection: _add_keys(connection, rows))
        await database.close()

    def account_id(self, handle: str) -> str:
        return record_id("acc", self.accounts[handle].uid)

    def start(self) -> None:
        arguments = [json.dumps(self.settings), str(self.repositories)]
        with (self.folder / "api.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-W", "error", "-c", MAIN, *arguments],
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
                raise RuntimeError(f"the API did not start:\n{self.log[-4000:]}")
            time.sleep(0.02)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
        return False

    def stop(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=15)

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def open_house(folder: Path, **settings: Any) -> Iterator[House]:
    """A started API that is gone afterwards. `settings`: more fields of ApiConfig."""
    with running(folder / "apiserver") as server:
        house = House(folder, server, free_port())
        house.prepare(**settings)
        house.start()
        try:
            yield house
        finally:
            house.kill()
