"""Where the kernel has no sets with a meter: the same passes and the same does not, but nobody's excess is dropped."""

import asyncio
from dataclasses import replace

import pytest

from cluster.egress.config import EgressConfig
from cluster.egress.driver import Driver
from cluster.egress.tenants import Tenant
from cluster.egress.usage import read_ledger
from cluster.fabric.addresses import GATEWAY, HOST_LOOPBACK
from cluster.fabric.client import Keeper
from cluster.fabric.networks import endpoint_of
from cluster.fabric.rules import ASKING
from tests.unit.cluster.egress.nameserver import name_server
from tests.unit.cluster.egress.stage import own_address, running, said, service, told, up
from tests.unit.cluster.fabric.conftest import WAYS

_UNMETERED = [f"unmetered {way}" for way in WAYS]
_QUESTIONS = 1000
_ASK = f"""
import dns.message, dns.query
for name in ("public.test.", "inside.test."):
    for ask in (dns.query.udp, dns.query.tcp):
        answer = ask(dns.message.make_query(name, "A"), "{GATEWAY}", timeout=10)
        print(answer.answer[0][0] if answer.answer else answer.rcode())
"""
_FLOOD = f"""
import socket, time, dns.message
wire = dns.message.make_query("public.test.", "A").to_wire()
begun = time.monotonic()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.connect(("{GATEWAY}", 53))
    for number in range({_QUESTIONS}):
        asking.send(wire)
        if number % 10 == 0: time.sleep(0.002)
print(time.monotonic() - begun)
"""
"""No quicker than the forwarder empties its queue: what does not get there was dropped by a rule."""
_ASK_NOW = f"""
import dns.message, dns.query
print(dns.query.udp(dns.message.make_query("public.test.", "A"), "{GATEWAY}", timeout=10).rcode())
"""


@pytest.mark.parametrize("config", _UNMETERED, indirect=True)
async def test_what_is_denied_stays_so_and_names_are_answered(
    capfd: pytest.CaptureFixture[str], config: EgressConfig
) -> None:
    keeper, own = Keeper(config.fabric), own_address()
    config.resolv_conf.write_text("nameserver 127.0.0.1\n")
    async with (
        name_server({"public.test.": "1.2.3.4", "inside.test.": "10.0.0.1"}) as (_, names_port),
        service("0.0.0.0") as port,
        service() as denied,
        running(replace(config, names_port=names_port, allow=(f"{own}/32",), denied_ports=(25, denied))),
    ):
        assert "Operation not supported" in capfd.readouterr().err, "the kernel itself refused the sets"
        (await up(keeper, config)).close()
        neighbour, beside = await keeper.attach("run")
        _, run = await keeper.attach("run")
        with beside, run:
            assert await said(run, f"{own}:{port}") == ["echo hello"]
            inside = [HOST_LOOPBACK, GATEWAY, "127.0.0.1", "169.254.169.254", endpoint_of(neighbour)[0]]
            places = [f"{address}:{port}" for address in inside]
            assert set(await said(run, *places, f"{own}:{denied}", neighbour)) == {"nothing"}
            assert await told(run, _ASK) == ["1.2.3.4", "1.2.3.4", "5", "5"]


@pytest.mark.parametrize("config", [*WAYS, *_UNMETERED], indirect=True)
async def test_only_a_meter_keeps_questions_from_the_forwarder(
    config: EgressConfig, request: pytest.FixtureRequest
) -> None:
    """The neighbour is answered behind the flood all the same: what the forwarder does itself needs no meter."""
    keeper = Keeper(config.fabric)
    config.resolv_conf.write_text("nameserver 127.0.0.1\n")
    address, run = await keeper.attach("run")
    _, neighbour = await keeper.attach("run")
    async with name_server({"public.test.": "1.2.3.4"}) as (_, names_port):
        driver = Driver(replace(config, names_port=names_port), keeper, (await keeper.describe()).id)
        driver.view.tenants[endpoint_of(address)[0]] = Tenant("acc-main", "shop", "shop-1")
        task = asyncio.ensure_future(driver.run())
        with run, neighbour:
            assert await told(neighbour, _ASK_NOW) == ["0"], "it has begun"
            (seconds,) = await told(run, _FLOOD)
            assert await told(neighbour, _ASK_NOW) == ["0"]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    (path,) = (config.data_dir / "usage").glob("*.ndjson")
    (line,) = read_ledger(path)
    most = ASKING.at_once + ASKING.per_second * float(seconds) + 1
    assert most < _QUESTIONS, "this machine was too busy to tell"
    assert (line["questions"] <= most) == ("unmetered" not in request.node.name)
