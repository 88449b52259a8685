"""Who asks for names how often is in the ledger, and for how much of it he was too quick."""

import asyncio
import time
from dataclasses import replace

from cluster.egress.config import EgressConfig
from cluster.egress.driver import Driver
from cluster.egress.names import RATE
from cluster.egress.tenants import Tenant
from cluster.egress.usage import read_ledger
from cluster.fabric.addresses import GATEWAY
from cluster.fabric.client import Keeper
from cluster.fabric.networks import endpoint_of
from tests.unit.cluster.egress.nameserver import name_server
from tests.unit.cluster.egress.stage import told

_CALM = f"""
import sys, dns.message, dns.query
for _ in range(3): print(dns.query.udp(dns.message.make_query("public.test.", "A"), "{GATEWAY}", timeout=10).rcode())
print(dns.query.tcp(dns.message.make_query("public.test.", "A"), "{GATEWAY}", timeout=10).rcode())
"""
_AT_ONCE = 180
"""More than the forwarder answers, and no more than the kernel lets through to it."""
_EAGER = f"""
import socket, dns.message
wire = dns.message.make_query("public.test.", "A").to_wire()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.connect(("{GATEWAY}", 53))
    for _ in range({_AT_ONCE}): asking.send(wire)
    print("asked")
"""


async def test_the_ledger_has_what_was_asked_and_what_was_not_answered(config: EgressConfig) -> None:
    keeper = Keeper(config.fabric)
    config.resolv_conf.write_text("nameserver 127.0.0.1\n")
    calm, its = await keeper.attach("run")
    eager, others = await keeper.attach("run")
    async with name_server({"public.test.": "1.2.3.4"}) as (server, port):
        driver = Driver(replace(config, names_port=port), keeper, (await keeper.describe()).id)
        for address in (calm, eager):
            host = endpoint_of(address)[0]
            driver.view.tenants[host] = Tenant("acc-main", "shop", host)
        task = asyncio.ensure_future(driver.run())
        with its, others:
            assert await told(its, _CALM) == ["0"] * 4
            begun = time.monotonic()
            assert await told(others, _EAGER) == ["asked"]
            # Answered in turn: what was asked before has been read.
            assert await told(its, _CALM) == ["0"] * 4
            seconds = time.monotonic() - begun
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    (path,) = (config.data_dir / "usage").glob("*.ndjson")
    kept = {line["instance"]: (line["questions"], line["unanswered"]) for line in read_ledger(path)}
    assert kept[endpoint_of(calm)[0]] == (8, 0)
    asked, unanswered = kept[endpoint_of(eager)[0]]
    assert asked == _AT_ONCE
    assert asked - RATE.at_once - RATE.per_second * seconds - 1 < unanswered
    assert unanswered <= _AT_ONCE - len(server.asked) + 8
