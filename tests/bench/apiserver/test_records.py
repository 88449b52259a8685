"""Memory and start with 50,000 records of our own kinds, as a running installation writes them (`records.json`), beside
a real API server with etcd."""

import asyncio
import itertools
import json
import time
from pathlib import Path
from typing import Any

import pytest
import uvloop

from crds.definition import definition
from crds.kinds import KINDS
from setpoint.processes import pss_bytes
from tests.bench.apiserver.test_real import ours, real
from tests.peer import MERGE, Connection, Peer, connected, rate

RECORDS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("records.json").read_text())
MANY = 50_000
NAMESPACE = "acc-main"
_MIB = 1024 * 1024


async def fill(peer: Peer) -> None:
    async with connected(peer) as connections:
        await _define(connections[0])
        await rate(connections, MANY, _write)


async def _define(connection: Connection) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    await connection.request("POST", "/api/v1/namespaces", json.dumps(namespace).encode())
    for kind in KINDS:
        body = json.dumps(definition(kind.model)).encode()
        await connection.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)
    for each in RECORDS:
        for attempt in itertools.count():
            try:
                await connection.request("GET", _place(each))
                break
            except RuntimeError:
                # A real one serves a new kind a moment later.
                assert attempt < 400
                await asyncio.sleep(0.05)


def _place(each: dict[str, Any]) -> str:
    return f"/apis/setpoint.dev/v1/namespaces/{NAMESPACE}/{each['plural']}"


async def _write(connection: Connection, number: int) -> bytes:
    """One record and its status: who made it and who reports own their parts of it."""
    each = RECORDS[number % len(RECORDS)]
    record, name = each["record"], f"{each['record']['metadata']['name']}-{number}"
    body = {**record, "metadata": {**record["metadata"], "name": name}}
    await connection.request("POST", f"{_place(each)}?fieldManager=setpoint-api", json.dumps(body).encode())
    status = json.dumps({"status": record.get("status", {})}).encode()
    path = f"{_place(each)}/{name}/status?fieldManager=setpoint-controller"
    return await connection.request("PATCH", path, status, MERGE)


def _of_ours(folder: Path) -> tuple[float, float]:
    with ours(folder) as server:
        uvloop.run(fill(server))
        assert server.process is not None
        memory = pss_bytes(server.process.pid) / _MIB
        server.stop()
        began = time.perf_counter()
        server.start()
        return memory, time.perf_counter() - began


def _of_the_real_pair(folder: Path) -> tuple[float, float]:
    with real(folder) as plane:
        uvloop.run(fill(plane))
        pair = [plane.processes[name].pid for name in ("etcd", "kube-apiserver")]
        memory = sum(map(pss_bytes, pair)) / _MIB
        plane.stop()
        began = time.perf_counter()
        plane.start()
        return memory, time.perf_counter() - began


@pytest.mark.bench
@pytest.mark.timeout(1200)
def test_fifty_thousand_records_of_our_kinds(tmp_path: Path) -> None:
    (memory, start), (their_memory, their_start) = _of_ours(tmp_path), _of_the_real_pair(tmp_path)
    _tell("memory, MiB", memory, their_memory, "<= 0.4x, <= 250 MiB")
    _tell("start, s", start, their_start, "<= 1.0x, <= 3 s")
    assert memory < their_memory, "heavier than the real pair"


def _tell(what: str, mine: float, theirs: float, aim: str) -> None:
    print(f"\n{MANY:,} records, {what}: {mine:.1f}; real: {theirs:.1f}; {mine / theirs:.2f}x; aim {aim}")
