"""The way out as a whole: a real keeper, a real HAProxy, and what really connects."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.egress import driver
from cluster.egress.config import EgressConfig
from cluster.egress.own_addresses import own_addresses
from cluster.fabric.addresses import GATEWAY, HOST_LOOPBACK
from cluster.fabric.client import Keeper
from cluster.fabric.entry import Entry, inside
from cluster.fabric.watch import FabricChanged
from cluster.haproxy.admin import AdminSocket, read_map
from cluster.haproxy.process import end_all
from tests.unit.cluster.egress.nameserver import name_server
from tests.unit.cluster.egress.stage import own_address, running, said, service, told, up
from tests.unit.cluster.fabric.conftest import keeping


async def _talker(entry: Entry, host: str, port: int) -> asyncio.subprocess.Process:
    """Holds a connection open; see `_line`."""
    keeps = (
        "import socket, sys\nf = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile('rw')\n"
        "for line in sys.stdin: f.write(line); f.flush(); print(f.readline().strip(), flush=True)"
    )
    command = inside(entry, [sys.executable, "-c", keeps, host, str(port)])
    pipe = subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)


async def _line(talker: asyncio.subprocess.Process, line: bytes) -> bytes:
    """What comes back for it."""
    assert talker.stdin is not None
    assert talker.stdout is not None
    talker.stdin.write(line)
    return await talker.stdout.readline()


async def test_what_is_denied_is_not_reached_and_what_is_allowed_for_builds_is_by_builds_only(
    config: EgressConfig,
) -> None:
    keeper = Keeper(config.fabric)
    async with running(config), service("0.0.0.0") as port:
        build = await up(keeper, config)
        neighbour, run = await keeper.attach("run")
        places = [f"{address}:{port}" for address in sorted(map(str, own_addresses()))]
        assert len(places) >= 1
        inner = [f"{HOST_LOOPBACK}:{port}", f"{GATEWAY}:{port}", f"169.254.169.254:{port}", neighbour]
        assert set(await said(run, *places, *inner)) == {"nothing"}
        beyond = [place for place in places if not place.startswith("127.")]
        assert set(await said(build, *beyond, *inner[1:])) <= {"nothing"}
        assert await said(build, inner[0]) == ["echo hello"]
        for entry in (build, run):
            entry.close()


async def test_the_operator_opens_networks_for_all_and_an_open_connection_outlives_the_change(
    config: EgressConfig,
) -> None:
    keeper = Keeper(config.fabric)
    own = own_address()
    async with service("0.0.0.0") as port:
        async with running(config):
            build = await up(keeper, config)
            talk = await _talker(build, HOST_LOOPBACK, port)
            assert await _line(talk, b"one\n") == b"echo one\n"
            _, run = await keeper.attach("run")
            assert await said(run, f"{own}:{port}") == ["nothing"]
        async with running(replace(config, allow=(f"{own}/32",))):

            async def opened() -> bool:
                return await said(run, f"{own}:{port}") == ["echo hello"]

            async with asyncio.timeout(20):
                while not await opened():
                    await asyncio.sleep(0.05)
            assert await _line(talk, b"two\n") == b"echo two\n"
            talk.kill()
            await talk.wait()
            build.close()
            run.close()


async def test_names_are_answered_inside(config: EgressConfig) -> None:
    keeper = Keeper(config.fabric)
    async with name_server({"public.test.": "1.2.3.4", "inside.test.": "10.0.0.1"}) as (_, port):
        config.resolv_conf.write_text("nameserver 127.0.0.1\n")
        async with running(replace(config, names_port=port)):
            build = await up(keeper, config)
            code = (
                "import dns.message, dns.query\n"
                "for name in ('public.test.', 'inside.test.'):\n"
                "    for ask in (dns.query.udp, dns.query.tcp):\n"
                f"        a = ask(dns.message.make_query(name, 'A'), '{GATEWAY}', timeout=10)\n"
                "        print(a.answer[0][0] if a.answer else a.rcode())\n"
            )
            assert await told(build, code) == ["1.2.3.4", "1.2.3.4", "5", "5"]
            build.close()


async def test_haproxy_and_the_driver_may_be_killed(config: EgressConfig) -> None:
    keeper = Keeper(config.fabric)
    async with running(config):
        (await up(keeper, config)).close()
        first = _haproxies(config.data_dir)
        for pid in first:
            os.kill(pid, signal.SIGKILL)
        (await up(keeper, config)).close()
        second = _haproxies(config.data_dir)
        assert not set(first) & set(second)
    async with running(config):
        (await up(keeper, config)).close()
        assert _haproxies(config.data_dir) == second


async def test_a_driver_that_does_not_know_the_records_yet_takes_nothing_away(config: EgressConfig) -> None:
    keeper, admin = Keeper(config.fabric), AdminSocket(config.data_dir, "admin.sock")

    async def tenants() -> dict[str, str]:
        return read_map(await admin.ask("show map tenants.map"))

    async with running(config):
        (await up(keeper, config)).close()
    await admin.tell(["add map tenants.map 198.18.1.5 acc-main"])
    known = asyncio.Event()
    again = driver.Driver(config, keeper, (await keeper.describe()).id)
    task = asyncio.ensure_future(again.run([known]))
    # Long enough for one that does not wait to have taken it away.
    await asyncio.sleep(0.5)
    assert await tenants() == {"198.18.1.5": "acc-main"}
    known.set()
    async with asyncio.timeout(20):
        while await tenants():
            await asyncio.sleep(0.02)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def test_a_denied_port_is_denied_where_all_else_is_allowed(config: EgressConfig) -> None:
    async with service() as denied, service() as open_, running(replace(config, denied_ports=(25, denied))):
        build = await up(Keeper(config.fabric), config)
        places = [f"{HOST_LOOPBACK}:{denied}", f"{HOST_LOOPBACK}:{open_}"]
        assert await said(build, *places) == ["nothing", "echo hello"]
        build.close()


async def test_another_configuration_takes_over_and_what_was_open_stays_so(config: EgressConfig) -> None:
    keeper = Keeper(config.fabric)
    async with service() as port, service() as later_denied:
        async with running(config):
            build = await up(keeper, config)
            first = _haproxies(config.data_dir)
            talk = await _talker(build, HOST_LOOPBACK, port)
            assert await _line(talk, b"one\n") == b"echo one\n"
        async with running(replace(config, denied_ports=(25, later_denied))):

            async def denied() -> bool:
                return await said(build, f"{HOST_LOOPBACK}:{later_denied}") == ["nothing"]

            async with asyncio.timeout(20):
                while not await denied():
                    await asyncio.sleep(0.05)
            assert await _line(talk, b"two\n") == b"echo two\n"
            talk.kill()
            await talk.wait()
            async with asyncio.timeout(20):
                while set(_haproxies(config.data_dir)) & set(first):
                    await asyncio.sleep(0.05)
        build.close()


async def test_another_fabric_makes_it_begin_anew(tmp_path: Path) -> None:
    """The part ends, and whoever keeps it running starts it in the new one."""
    config = EgressConfig(
        tmp_path / "egress", tmp_path / "fabric", tmp_path / "siblings.sock", resolv_conf=tmp_path / "resolv.conf"
    )
    with keeping(config.fabric, "user"):
        await Keeper(config.fabric).describe()
        task = asyncio.ensure_future(driver.run(config))
        async with asyncio.timeout(20):
            while not _haproxies(config.data_dir):
                await asyncio.sleep(0.05)
    (config.fabric / "network").unlink()
    with keeping(config.fabric, "user"), pytest.raises(ExceptionGroup) as caught:
        async with asyncio.timeout(20):
            await task
    assert caught.group_contains(FabricChanged)
    await end_all(config.data_dir)


def _haproxies(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if (
                entry.name.isdigit()
                and (entry / "comm").read_text() == "haproxy\n"
                and (entry / "cwd").samefile(folder)
            ):
                found.append(int(entry.name))
    return sorted(found)
