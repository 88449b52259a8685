"""Addresses, health verdicts, restarts, memory of times."""

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cluster.builder.build import Release
from cluster.builder.errors import BuildFailed
from cluster.fabric.networks import SharedNetwork, endpoint_of
from cluster.node import disk
from cluster.node.builds import unless
from cluster.node.clock import Stamps
from cluster.node.health import check, until_ready
from cluster.node.leaving import seconds_left
from cluster.node.restart import CRASH_LOOP, EXITED, pause_before, reason_of, sentence_of
from crds.models.instance import Instance, InstanceSpec
from crds.models.record import Metadata
from crds.names import FINALIZER_ROUTER
from tests.unit.cluster.node.stage import state_of

RELEASE = Release("digest", "python", (), "message")


async def test_an_address_rests_before_another_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    network = SharedNetwork(clock=lambda: now[0])
    port = endpoint_of((await network.attach()).address)[1]
    monkeypatch.setattr("cluster.fabric.networks._FIRST", port)
    monkeypatch.setattr("cluster.fabric.networks._LAST", port)
    with pytest.raises(OSError, match="No free port"):
        await network.attach()
    network.release(f"127.0.0.1:{port}")
    with pytest.raises(OSError, match="No free port"):
        await network.attach()
    now[0] = 61.0
    assert (await network.attach()).address == f"127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("answer", "ready", "problem"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", True, ""),
        (b"HTTP/1.0 404 Nope\r\n\r\n", True, ""),
        (b"HTTP/1.1 500 Oh\r\n\r\n", False, "answers GET /x with 500"),
        (b"SSH-2.0-x\r\n", False, "does not speak HTTP"),
        (b"HTTP/1.1 20x\r\n", False, "does not speak HTTP"),
        (b"", False, "does not speak HTTP"),
        (b"x" * 200_000, False, "broke off"),
    ],
)
async def test_health_verdicts(answer: bytes, ready: bool, problem: str) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        verdict = await check(SharedNetwork(), f"127.0.0.1:{port}", "/x")
    assert verdict.ready is ready
    assert problem in verdict.problem


async def test_who_never_listens_is_told_so() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        verdict = await until_ready(SharedNetwork(), f"127.0.0.1:{probe.getsockname()[1]}", "/", 0.2)
    assert not verdict.ready
    assert "does not listen" in verdict.problem


def test_restarts_wait_longer_and_give_up_only_on_what_never_was_ready() -> None:
    pauses = [pause_before(crashes) for crashes in range(1, 12)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 30
    assert reason_of(2, was_ready=False) == EXITED
    assert reason_of(3, was_ready=False) == CRASH_LOOP
    assert reason_of(9, was_ready=True) == EXITED
    assert "SIGKILL" in sentence_of(137)
    assert "not found" in sentence_of(127)
    assert "from outside" in sentence_of(None)


def test_stamps_never_stand_still_or_go_back() -> None:
    stamps = Stamps()
    found = [stamps.next() for _ in range(1000)]
    assert found == sorted(set(found))
    stamps.not_before("2999-01-01T00:00:00.000000Z")
    assert stamps.next() > "2999"
    stamps.not_before("nonsense")


def test_the_router_gets_its_time_and_no_more() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    state = state_of("u", "web", "127.0.0.1:1")
    meta = Metadata(name="x", finalizers=[FINALIZER_ROUTER], deletion_timestamp=now)
    record = Instance(metadata=meta, spec=InstanceSpec(workload="w", node="n"))
    assert seconds_left(record, state, now) == 16
    assert seconds_left(record, state, now + timedelta(seconds=20)) == 0
    record.metadata.finalizers = []
    assert seconds_left(record, state, now) == 0
    assert seconds_left(None, state, now) == 0


def test_a_disk_that_fills_refuses_builds_long_before_it_is_full(tmp_path: Path) -> None:
    assert disk.refusal(disk.LOW_BYTES, disk.LOW_BYTES) is None
    said = disk.refusal(disk.LOW_BYTES - 1, disk.LOW_BYTES)
    assert said is not None
    assert "builds leave 1 GiB" in said
    assert disk.DANGER_BYTES < disk.LOW_BYTES
    assert disk.free_bytes(tmp_path) > 0


async def test_a_build_ends_when_the_disk_fills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    async def work() -> Release:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)
        return RELEASE

    async def quick() -> Release:
        return RELEASE

    assert await unless(quick(), {disk.REASON: disk.until_low(tmp_path)}) is RELEASE
    monkeypatch.setattr(disk, "free_bytes", lambda path: 1000)
    with pytest.raises(BuildFailed, match="are free on the platform"):
        await unless(work(), {disk.REASON: disk.until_low(tmp_path)})
    assert ended
