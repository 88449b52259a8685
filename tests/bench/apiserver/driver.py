"""A small load driver: kept-alive TLS connections that send the next request when the answer is there.

python -m tests.bench.apiserver.driver      starts a server of its own and prints the figures
"""

import asyncio
import json
import ssl
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import uvloop
import yaml

from tests.contract.apiserver.server import ROOT, Server, running
from tests.ports import free_port

CONNECTIONS = 32
WIDGETS = Path(__file__).parents[2] / "contract" / "apiserver" / "widgets.yaml"
BASE = "/apis/test.example.com/v1/namespaces/default/widgets"
Figures = dict[str, float]


class Connection:
    """One HTTP/1.1 connection that knows answers with a Content-Length."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._head = f"Host: {server.url[8:]}\r\nAuthorization: Bearer {server.token}\r\nUser-Agent: driver/1\r\n"

    async def open(self, context: ssl.SSLContext) -> None:
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self._server.port, ssl=context, limit=1 << 26
        )

    async def opens(self, context: ssl.SSLContext) -> bool:
        """Whether somebody listens there (yet)."""
        try:
            await self.open(context)
        except ConnectionRefusedError:
            return False
        return True

    async def request(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
        """The body of the answer. Raises RuntimeError for a status of 400 or more."""
        head = f"{method} {path} HTTP/1.1\r\n{self._head}Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        start = answer.index(b"content-length: ") + 16
        content = await self._reader.readexactly(int(answer[start : answer.index(b"\r\n", start)]))
        if answer[9:10] not in b"2":
            raise RuntimeError(f"{method} {path}: {content[:500]!r}")
        return content

    async def lines(self, path: str) -> asyncio.StreamReader:
        """Start a watch; its lines are read from what is returned, with chunk framing between them."""
        self._writer.write(f"GET {path} HTTP/1.1\r\n{self._head}\r\n".encode())
        await self._reader.readuntil(b"\r\n\r\n")
        return self._reader

    def close(self) -> None:
        self._writer.transport.abort()


def widget(name: str) -> bytes:
    spec = {"note": "from the driver", "color": "red", "limits": {"cpu": "1"}, "tags": ["a", "b"]}
    metadata = {"name": name, "labels": {"app": "bench"}}
    return json.dumps(
        {"apiVersion": "test.example.com/v1", "kind": "Widget", "metadata": metadata, "spec": spec}
    ).encode()


async def rate(connections: list[Connection], count: int, send: Callable[[Connection, int], object]) -> float:
    """Requests a second of `count` requests over all connections."""
    numbers = iter(range(count))

    async def work(connection: Connection) -> None:
        for number in numbers:
            await send(connection, number)  # type: ignore[misc]

    started = time.perf_counter()
    await asyncio.gather(*(work(connection) for connection in connections))
    return count / (time.perf_counter() - started)


async def measure(server: Server, folder: Path, objects: int = 10_000, gets: int = 20_000) -> tuple[Figures, Figures]:
    """Ours, and the floor: the same requests to a server that understands nothing."""
    context = server.context()
    async with connected(server, context) as connections:
        definition = json.dumps(yaml.safe_load(WIDGETS.read_text())).encode()
        await connections[0].request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
        ours = await _rates(connections, objects, gets)
        ours["applies_per_second"] = await rate(connections, objects // 4, _apply)
        ours["list_ms"] = await _list_ms(connections[0])
        ours["watch_ms_p50"] = await _watch_ms(server, connections[0], context)
        (folder / "single").write_bytes(await connections[0].request("GET", f"{BASE}/w0"))
        (folder / "everything").write_bytes(await connections[0].request("GET", BASE))
    bare = Server(folder, free_port())
    paths = [server.folder / "certs", folder / "bare.db", folder / "single", folder / "everything"]
    command = [sys.executable, "-m", "tests.bench.apiserver.bare", str(bare.port), *(str(path) for path in paths)]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    try:
        async with connected(bare, context) as connections:
            floor = await _rates(connections, objects, gets)
            floor["list_ms"] = await _list_ms(connections[0])
    finally:
        process.kill()
        await process.wait()
    return ours, floor


async def _rates(connections: list[Connection], objects: int, gets: int) -> Figures:
    creates = await rate(connections, objects, lambda c, n: c.request("POST", BASE, widget(f"w{n}")))
    reads = await rate(connections, gets, lambda c, n: c.request("GET", f"{BASE}/w{n % objects}"))
    return {"creates_per_second": creates, "gets_per_second": reads}


async def _apply(connection: Connection, number: int) -> bytes:
    path = f"{BASE}/w{number}?fieldManager=bench&force=true"
    return await connection.request("PATCH", path, widget(f"w{number}"), "application/apply-patch+yaml")


@asynccontextmanager
async def connected(server: Server, context: ssl.SSLContext) -> AsyncIterator[list[Connection]]:
    connections = [Connection(server) for _ in range(CONNECTIONS)]
    for connection in connections:
        async with asyncio.timeout(10):
            while not await connection.opens(context):
                await asyncio.sleep(0.02)
    try:
        yield connections
    finally:
        for connection in connections:
            connection.close()
        # What an abort leaves to be done is done in the loop's next turns.
        await asyncio.sleep(0.1)


async def _list_ms(connection: Connection) -> float:
    times = []
    for _ in range(5):
        started = time.perf_counter()
        await connection.request("GET", BASE)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


async def _watch_ms(server: Server, writer: Connection, context: ssl.SSLContext) -> float:
    """From sending a patch to its event at a watcher, idle."""
    watching = Connection(server)
    await watching.open(context)
    version = json.loads(await writer.request("GET", BASE + "?limit=1"))["metadata"]["resourceVersion"]
    lines = await watching.lines(f"{BASE}?watch=true&resourceVersion={version}")
    times = []
    for number in range(200):
        mark = f"mark-{number}".encode()
        body = b'{"spec":{"note":"' + mark + b'"}}'
        started = time.perf_counter()
        pending = asyncio.ensure_future(writer.request("PATCH", f"{BASE}/w1", body, "application/merge-patch+json"))
        while mark not in await lines.readline():
            pass
        times.append((time.perf_counter() - started) * 1000)
        await pending
    watching.close()
    return statistics.median(times)


def private_mib(pid: int) -> float:
    """Private memory of a process."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in rollup if line.startswith("Private_")) / 1024


def bench(objects: int = 10_000, gets: int = 20_000) -> tuple[Figures, Figures]:
    """All figures of a server of its own, and of the floor."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "server") as server:
        assert server.process is not None
        idle = private_mib(server.process.pid)
        ours, floor = uvloop.run(measure(server, Path(folder), objects, gets))
        return {"idle_private_mib": idle, **ours, "full_private_mib": private_mib(server.process.pid)}, floor


if __name__ == "__main__":
    ours, floor = bench()
    for name, value in ours.items():
        sys.stdout.write(f"{name:24} {value:12.1f} {floor.get(name, 0):12.1f}\n")
