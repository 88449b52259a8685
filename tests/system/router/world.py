"""A router over an embedded API server, projects that answer for real, and those who write the records around it."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import WSMsgType, web

from cluster.router.config import RouterConfig
from crds.client.client import Client
from crds.client.errors import Conflict
from crds.client.reflector import Reflector
from crds.client.store import Store
from crds.models.instance import Instance, InstanceSpec
from crds.models.record import Metadata
from crds.models.route import Route, RouteSpec
from crds.models.workload import Workload, WorkloadSpec
from crds.names import FINALIZER_NODE, FINALIZER_ROUTER, labels_for
from tests.contract.apiserver.server import ROOT, Server
from tests.ports import free_port
from tests.system.scheduler.world import NAMESPACE, kubeconfig_of
from tests.unit.cluster.certificates import Authority
from tests.unit.cluster.eventually import eventually

_MAIN = """
import sys
from pathlib import Path
import uvloop
from cluster.router.config import RouterConfig
from cluster.router.driver import run
folder, kubeconfig, port, cert, key, ca = sys.argv[1:]
paths = (Path(cert), Path(key), Path(ca))
uvloop.run(run(RouterConfig(Path(folder), Path(kubeconfig), "127.0.0.1", int(port), "localhost", *paths, "router")))
"""


def router_config(server: Server, folder: Path, authority: Authority) -> RouterConfig:
    pair = authority.issue("setpoint:router")
    kubeconfig = kubeconfig_of(server, "router")
    return RouterConfig(
        data_dir=folder / "router",
        kubeconfig=kubeconfig,
        host="127.0.0.1",
        port=free_port(),
        base_domain="localhost",
        tls_cert=pair.cert,
        tls_key=pair.key,
        tls_ca=authority.ca,
        identity="router",
        renew_every=0.5,
    )


async def as_process(config: RouterConfig) -> asyncio.subprocess.Process:
    """The driver as a process of its own, to be killed."""
    tls = (config.tls_cert, config.tls_key, config.tls_ca)
    arguments = [str(word) for word in (config.data_dir, config.kubeconfig, config.port, *tls)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    with (config.data_dir.parent / "driver.log").open("ab") as log:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-c", _MAIN, *arguments, env=environment, stderr=log, start_new_session=True
        )


@dataclass
class App:
    """A project's process: says its name, and shows what it was sent."""

    name: str
    address: str = ""
    requests: int = 0
    waiting: int = 0
    _runner: web.AppRunner | None = None

    async def start(self) -> "App":
        app = web.Application()
        app.router.add_route("*", "/headers", self._headers)
        app.router.add_get("/slow", self._slow)
        app.router.add_get("/ws", self._socket)
        app.router.add_get("/events", self._events)
        app.router.add_route("*", "/{rest:.*}", self._hello)
        self._runner = web.AppRunner(app, shutdown_timeout=0.2, handler_cancellation=True, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.address = f"127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _hello(self, request: web.Request) -> web.Response:
        self.requests += 1
        if request.query.get("status"):
            return web.Response(status=int(request.query["status"]))
        return web.Response(text=self.name)

    async def _headers(self, request: web.Request) -> web.Response:
        answer = web.json_response([[name, value] for name, value in request.headers.items()])
        for cookie in request.query.getall("set", []):
            answer.headers.add("Set-Cookie", cookie)
        return answer

    async def _slow(self, request: web.Request) -> web.Response:
        self.waiting += 1
        try:
            await asyncio.sleep(float(request.query.get("seconds", "1")))
        finally:
            self.waiting -= 1
        return web.Response(text=self.name)

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                await socket.send_str(f"{self.name}: {message.data}")
        return socket

    async def _events(self, request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        number = 0
        while True:
            await answer.write(f"data: {number}\n\n".encode())
            number += 1
            await asyncio.sleep(0.1)


@dataclass
class Site:
    """Writes the records that scheduler, agents and controller would write, and requests what is served."""

    client: Client
    port: int
    http: aiohttp.ClientSession
    routes: Store[Route] = field(default_factory=lambda: Store(Route))
    instances: Store[Instance] = field(default_factory=lambda: Store(Instance))

    async def watch(self) -> None:
        await asyncio.gather(Reflector(self.client, self.routes).run(), Reflector(self.client, self.instances).run())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def workload(self, name: str, project: str = "shop", **spec: Any) -> Workload:
        values = {"project": project, "deploy": name, "process": "web", "artifact": "a", "command": "c", "served": True}
        record = Workload(
            metadata=Metadata(name=name, namespace=NAMESPACE, labels=labels_for(project, name, "web", name)),
            spec=WorkloadSpec(**(values | spec)),
        )
        return await self.client.create(record)

    async def instance(self, workload: str, number: int, address: str, *, ready: bool = True) -> Instance:
        record = Instance(
            metadata=Metadata(
                name=f"{workload}-{number}", namespace=NAMESPACE, finalizers=[FINALIZER_ROUTER, FINALIZER_NODE]
            ),
            spec=InstanceSpec(workload=workload, node="node-1"),
        )
        made = await self.client.create(record)
        return await self.set_status(made.name, {"phase": "running", "ready": ready, "address": address})

    async def set_status(self, instance: str, status: dict[str, Any]) -> Instance:
        return await self.client.patch(Instance, instance, NAMESPACE, {"status": status}, subresource="status")

    async def route(self, project: str, workload: str, hosts: list[str] | None = None) -> Route:
        names = hosts if hosts is not None else [f"{project}--main.localhost"]
        spec = RouteSpec(project=project, hostnames=names, deploy=workload, workload=workload)
        return await self.client.create(Route(metadata=Metadata(name=project, namespace=NAMESPACE), spec=spec))

    async def switch(self, project: str, workload: str) -> None:
        """The cut-over, as Deploy's reconciler makes it; returns when the router says that it is done."""
        patch = {"spec": {"deploy": workload, "workload": workload}}
        made = await self.client.patch(Route, project, NAMESPACE, patch)
        await eventually(lambda: self.served(project, workload, made.metadata.generation))

    def served(self, project: str, workload: str, generation: int = 1) -> bool:
        route = self.routes.get(NAMESPACE, project)
        status = route.status if route else None
        return bool(status and status.served_by == workload and status.observed_generation >= generation)

    def looked_at(self, project: str) -> bool:
        """The router said something on the project's Route."""
        route = self.routes.get(NAMESPACE, project)
        return route is not None and route.status.observed_generation is not None

    async def deploy(self, project: str, workload: str, app: App, **spec: Any) -> None:
        """A project with one instance, served."""
        await self.workload(workload, project, **spec)
        await self.instance(workload, 1, app.address)
        await self.route(project, workload)
        await eventually(lambda: self.served(project, workload))

    async def delete_instance(self, name: str) -> None:
        await self.client.delete(Instance, name, NAMESPACE)

    def let_go(self, name: str) -> bool:
        """The router has taken its finalizer off."""
        record = self.instances.get(NAMESPACE, name)
        return record is None or FINALIZER_ROUTER not in record.metadata.finalizers

    async def end(self, name: str) -> None:
        """As the agent does: waits until the traffic has left, and takes its own finalizer off."""
        await self.delete_instance(name)
        await eventually(lambda: self.let_go(name), seconds=30)
        for _ in range(20):
            try:
                await self.client.remove_finalizer(await self.client.get(Instance, name, NAMESPACE), FINALIZER_NODE)
            except Conflict:
                continue
            return

    async def get(self, path: str = "/", host: str = "shop--main.localhost", **more: Any) -> tuple[int, str]:
        async with self.http.get(self.url + path, headers={"Host": host} | more.pop("headers", {}), **more) as answer:
            return answer.status, await answer.text()

    def reasons(self) -> list[str]:
        """Of every condition of every Route, as far as it is known here."""
        return [condition.reason for route in self.routes.list() for condition in route.status.conditions]

    async def until_served(self, text: str, host: str = "shop--main.localhost") -> None:
        for _ in range(1000):
            try:
                if (await self.get(host=host))[1] == text:
                    return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.01)
        raise AssertionError(f"{host} does not say {text!r}: {await self.get(host=host)}")


@asynccontextmanager
async def apps(*names: str) -> AsyncIterator[list[App]]:
    started = [await App(name).start() for name in names]
    try:
        yield started
    finally:
        for app in started:
            await app.stop()


def haproxy_pids(config: RouterConfig) -> set[int]:
    """All HAProxy processes that work in the router's folder."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            name = (entry / "comm").read_text() if entry.name.isdigit() else ""
            if name == "haproxy\n" and (entry / "cwd").samefile(config.data_dir):
                found.add(int(entry.name))
        except OSError:
            continue
    return found
