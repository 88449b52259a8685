"""The embedded API beside a real API server with etcd: the same driver, the same run, one after the other."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvloop
import yaml

from cluster.controlplane.build import CACHE, programs, told
from setpoint.processes import pss_bytes
from tests.bench.apiserver.driver import WIDGETS, widget
from tests.cluster.controlplane.server import ControlPlane
from tests.contract.apiserver.server import Server, prepared
from tests.peer import APPLY, MERGE, Connection, Peer, connected, fan_out_ms, median_ms, rate
from tests.ports import free_port

BASE = "/apis/test.example.com/v1/namespaces/default/widgets"
OBJECTS, GETS, MANY = 5_000, 20_000, 50_000
_MIB = 1024 * 1024
Figures = dict[str, float]


@contextmanager
def ours(folder: Path) -> Iterator[Server]:
    server = prepared(folder / "ours")
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def real(folder: Path) -> Iterator[ControlPlane]:
    plane = ControlPlane(folder / "real", programs(CACHE, told), free_port())
    plane.start()
    try:
        yield plane
    finally:
        plane.stop()


async def speed(peer: Peer) -> Figures:
    async with connected(peer) as connections:
        await _define(connections[0])
        found: Figures = {
            "creates a second": await rate(connections, OBJECTS, _create),
            "spec patches a second": await rate(connections, OBJECTS, _patch),
            "status patches a second": await rate(connections, OBJECTS, _patch_status),
            "applies a second": await rate(connections, OBJECTS, _apply),
            "gets a second": await rate(connections, GETS, _get),
        }
        await rate(connections, OBJECTS, lambda c, n: _create(c, OBJECTS + n))
        found["list of 10,000, ms"] = await median_ms(5, lambda: connections[0].request("GET", BASE))
    found["fan-out p99, ms"] = await fan_out_ms(peer, f"{BASE}/w1", 50, 100, 5)
    return found


async def fill(peer: Peer) -> None:
    async with connected(peer) as connections:
        await rate(connections, MANY - 2 * OBJECTS, lambda c, n: _create(c, 2 * OBJECTS + n))


async def _define(connection: Connection) -> None:
    definition = json.dumps(yaml.safe_load(WIDGETS.read_text())).encode()
    await connection.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    for _ in range(200):
        try:
            await connection.request("GET", BASE)
            return
        except RuntimeError:
            # A real one serves a new kind a moment later.
            await asyncio.sleep(0.05)


def _create(connection: Connection, number: int) -> Any:
    return connection.request("POST", BASE, widget(f"w{number}"))


def _patch(connection: Connection, number: int) -> Any:
    body = json.dumps({"spec": {"note": f"note-{number}"}}).encode()
    return connection.request("PATCH", f"{BASE}/w{number}", body, MERGE)


def _patch_status(connection: Connection, number: int) -> Any:
    body = json.dumps({"status": {"phase": "Ready"}}).encode()
    return connection.request("PATCH", f"{BASE}/w{number}/status", body, MERGE)


def _apply(connection: Connection, number: int) -> Any:
    return connection.request("PATCH", f"{BASE}/w{number}?fieldManager=bench&force=true", widget(f"w{number}"), APPLY)


def _get(connection: Connection, number: int) -> Any:
    return connection.request("GET", f"{BASE}/w{number % OBJECTS}")


def _of_ours(folder: Path) -> Figures:
    with ours(folder) as server:
        found = uvloop.run(speed(server))
        uvloop.run(fill(server))
        assert server.process is not None
        found["memory with 50,000, MiB"] = pss_bytes(server.process.pid) / _MIB
        server.stop()
        began = time.perf_counter()
        server.start()
        found["start with 50,000, s"] = time.perf_counter() - began
    return found


def _of_the_real_pair(folder: Path) -> Figures:
    with real(folder) as plane:
        found = uvloop.run(speed(plane))
        uvloop.run(fill(plane))
        pair = [plane.processes[name].pid for name in ("etcd", "kube-apiserver")]
        found["memory with 50,000, MiB"] = sum(map(pss_bytes, pair)) / _MIB
        plane.stop()
        began = time.perf_counter()
        plane.start()
        found["start with 50,000, s"] = time.perf_counter() - began
    return found


AIMS = {
    "creates a second": ">= 3x",
    "spec patches a second": ">= 3x",
    "status patches a second": ">= 3x",
    "applies a second": ">= 3x",
    "gets a second": ">= 5x",
    "list of 10,000, ms": "<= 1.0x",
    "fan-out p99, ms": "<= 1.0x",
    "memory with 50,000, MiB": "<= 0.4x, <= 250 MiB",
    "start with 50,000, s": "<= 1.0x, <= 3 s",
}


@pytest.mark.bench
@pytest.mark.timeout(1200)
def test_the_embedded_api_beside_a_real_one(tmp_path: Path) -> None:
    mine, theirs = _of_ours(tmp_path), _of_the_real_pair(tmp_path)
    for name, aim in AIMS.items():
        ratio = mine[name] / theirs[name]
        print(f"\nembedded, {name}: {mine[name]:.1f}; real: {theirs[name]:.1f}; {ratio:.2f}x; aim {aim}")
    assert mine["creates a second"] > theirs["creates a second"], "slower than the real one: something is wrong"
    assert mine["memory with 50,000, MiB"] < theirs["memory with 50,000, MiB"], "heavier than the real pair"
