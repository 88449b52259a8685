"""An API server, a node agent in a process of its own, and the records that controller and scheduler would write."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import orjson

from cluster.node.ending import end_instances
from crds.client.client import Client
from crds.client.errors import ApiError, NotFound
from crds.definition import definition
from crds.kinds import KINDS
from crds.models.build import Build, BuildSpec
from crds.models.computenode import ComputeNode
from crds.models.core import CustomResourceDefinition, Namespace, Secret
from crds.models.gitref import GitRef, GitRefSpec
from crds.models.instance import Instance, InstanceSpec
from crds.models.project import Project
from crds.models.record import Metadata, Record
from crds.models.workload import Workload, WorkloadSpec
from crds.names import FINALIZER_NODE, LABEL_NODE, SYSTEM_NAMESPACE, labels_for
from tests.contract.apiserver.server import Server
from tests.unit.cluster.certificates import Authority, Pair

NAMESPACE = "acc-test"
NODE = "node-1"
ROOT = Path(__file__).parents[3]
R = TypeVar("R", bound=Record)

MAIN = """
import asyncio, json, logging, signal, sys
from pathlib import Path
from cluster.node.agent import run
from cluster.node.config import NodeConfig

async def main():
    given = json.loads(sys.argv[1])
    paths = {"data_dir", "kubeconfig", "tls_cert", "tls_key", "tls_ca", "python"}
    task = asyncio.ensure_future(run(NodeConfig(**{k: Path(v) if k in paths else v for k, v in given.items()})))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        pass

logging.basicConfig(level=logging.INFO, stream=sys.stderr)
asyncio.run(main())
"""


class World:
    """`agent` is the agent's process; records are made as their writers would make them."""

    def __init__(self, server: Server, folder: Path, client: Client):
        self.server = server
        self.folder = folder
        self.client = client
        self.data = folder / "data"
        self.authority = Authority(folder / "pki")
        self._pair = self.authority.issue(f"setpoint:{NODE}")
        self.api_pair = self.authority.issue("setpoint:api")
        self.agent: subprocess.Popen[bytes] | None = None
        self.log = folder / "agent.log"

    def start_agent(self) -> None:
        given = {
            "name": NODE,
            "data_dir": str(self.data),
            "kubeconfig": str(self.server.kubeconfig),
            "tls_cert": str(self._pair.cert),
            "tls_key": str(self._pair.key),
            "tls_ca": str(self.authority.ca),
            "cpu": 2.0,
            "memory_bytes": 8 << 30,
            "python": os.path.realpath(sys.executable),
        }
        with self.log.open("ab") as log:
            self.agent = subprocess.Popen(
                [sys.executable, "-c", MAIN, orjson.dumps(given).decode()],
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PLATFORM_CANARY": "canary-of-the-platform"},
            )

    def stop_agent(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self.agent is not None and self.agent.poll() is None:
            self.agent.send_signal(number)
            self.agent.wait(timeout=20)

    def said(self) -> str:
        return self.log.read_text()[-6000:] if self.log.exists() else ""

    async def until(self, model: type[R], name: str, look: Callable[[R], Any], seconds: float = 20) -> R:
        """The record once `look` is content with it."""
        end = time.monotonic() + seconds
        namespace = NAMESPACE if model.resource.namespaced else None
        seen: R | None = None
        while time.monotonic() < end:
            with contextlib.suppress(NotFound):
                seen = await self.client.get(model, name, namespace)
                if look(seen):
                    return seen
            await asyncio.sleep(0.01)
        raise AssertionError(f"{name} stayed {seen and seen.wire().get('status')}\n{self.said()}")

    async def gone(self, model: type[R], name: str, seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                await self.client.get(model, name, NAMESPACE)
            except NotFound:
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"{name} is still there\n{self.said()}")

    async def project(self, name: str) -> Project:
        return await self.client.create(Project(metadata=Metadata(name=name, namespace=NAMESPACE)))

    async def secret(self, name: str, values: dict[str, str]) -> None:
        meta = Metadata(name=name, namespace=NAMESPACE)
        await self.client.create(Secret(metadata=meta, data=Secret.encode(values)))

    async def gitref(self, name: str, repository: str, ref: str = "main", **spec: Any) -> GitRef:
        record = GitRef(
            metadata=Metadata(name=name, namespace=NAMESPACE),
            spec=GitRefSpec(project="shop", repository=repository, ref=ref, **spec),
        )
        made = await self.client.create(record)
        return await self.client.patch_status(made, {"node": NODE})

    async def build(self, name: str, project: str, repository: str, commit: str, **spec: Any) -> Build:
        """Made and placed on the node."""
        record = Build(
            metadata=Metadata(name=name, namespace=NAMESPACE, labels=labels_for(project, name)),
            spec=BuildSpec(project=project, deploy=name, repository=repository, commit=commit, ref="main", **spec),
        )
        made = await self.client.create(record)
        return await self.client.patch_status(made, {"node": NODE})

    async def built(self, name: str, project: str, repository: str, commit: str, **spec: Any) -> Build:
        await self.build(name, project, repository, commit, **spec)
        return await self.until(Build, name, lambda build: build.status.phase in ("succeeded", "failed"), 60)

    async def workload(self, build: Build, process: str = "web", **spec: Any) -> Workload:
        command = next((each.command for each in build.status.processes if each.name == process), "")
        name = f"{build.name}-{process}"
        values = {
            "project": build.spec.project,
            "deploy": build.name,
            "process": process,
            "artifact": build.status.artifact,
            "command": command,
            "commit": build.spec.commit,
            "served": process == "web",
            "drain_seconds": 1,
            "stop_grace_seconds": 5,
            **spec,
        }
        labels = labels_for(build.spec.project, build.name, process)
        record = Workload(metadata=Metadata(name=name, namespace=NAMESPACE, labels=labels), spec=WorkloadSpec(**values))
        return await self.client.create(record)

    async def instance(self, workload: Workload, number: int = 1, finalizers: tuple[str, ...] = ()) -> Instance:
        spec = workload.spec
        labels = labels_for(spec.project, spec.deploy, spec.process, workload.name) | {LABEL_NODE: NODE}
        name = f"{workload.name}-{number}"
        meta = Metadata(name=name, namespace=NAMESPACE, labels=labels, finalizers=[FINALIZER_NODE, *finalizers])
        return await self.client.create(Instance(metadata=meta, spec=InstanceSpec(workload=workload.name, node=NODE)))

    async def ready(self, name: str, seconds: float = 20) -> Instance:
        return await self.until(Instance, name, lambda instance: instance.status.ready, seconds)

    async def get(self, instance: Instance, path: str = "/") -> tuple[int, str]:
        url = f"http://{instance.status.address}{path}"
        async with aiohttp.ClientSession() as session, session.get(url) as answer:
            return answer.status, await answer.text()

    async def node(self) -> ComputeNode:
        return await self.until(ComputeNode, NODE, lambda node: node.status.phase)

    async def ask(self, path: str, pair: Pair | None = None) -> tuple[int, str]:
        """The agent's endpoint, as the API asks it."""
        endpoint = (await self.node()).status.endpoint
        connector = aiohttp.TCPConnector(ssl=self.authority.client_context(pair or self.api_pair))
        async with aiohttp.ClientSession(connector=connector) as session, session.get(f"{endpoint}{path}") as answer:
            return answer.status, await answer.text()

    async def lines(self, path: str) -> list[dict[str, Any]]:
        status, text = await self.ask(path)
        assert status == 200, text
        return [orjson.loads(line) for line in text.splitlines()]


async def install(client: Client) -> None:
    """The kinds and the namespaces."""
    for kind in KINDS:
        await client.create(CustomResourceDefinition.parse(definition(kind.model)))
    for name in (NAMESPACE, SYSTEM_NAMESPACE):
        with contextlib.suppress(ApiError):
            await client.create(Namespace(metadata=Metadata(name=name)))
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            await client.list(ComputeNode)
            return
        except ApiError:
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def world(server: Server, folder: Path) -> AsyncIterator[World]:
    client = await Client.open(server.kubeconfig, "test")
    made = World(server, folder, client)
    await install(client)
    try:
        made.start_agent()
        yield made
    finally:
        made.stop_agent()
        # Instances outlive the agent: end those of this test's folder, and no others.
        await end_instances(made.data, NODE, 0)
        await client.close()
