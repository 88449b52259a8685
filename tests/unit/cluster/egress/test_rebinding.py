"""A name that first leads to where one may go, and then inside: nothing of the machine is reached by it."""

import asyncio
from dataclasses import replace

import pytest

from cluster.egress.config import EgressConfig
from cluster.fabric.addresses import GATEWAY, HOST_LOOPBACK
from cluster.fabric.client import Keeper
from cluster.fabric.networks import endpoint_of
from tests.unit.cluster.egress.nameserver import name_server
from tests.unit.cluster.egress.stage import own_address, running, said, service, told, up

_ASK = f"""
import sys, socket, dns.message, dns.query, dns.rcode
name, port, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def reached(address):
    try:
        with socket.create_connection((address, port), 5) as s:
            s.sendall(b"hello\\n")
            return bool(s.recv(100))
    except OSError:
        return False

for _ in range(turns):
    answer = dns.query.udp(dns.message.make_query(name, "A"), "{GATEWAY}", timeout=10)
    found = [str(item) for each in answer.answer for item in each]
    print(dns.rcode.to_text(answer.rcode()), *found, *("reached" for address in found if reached(address)))
"""
NAME = "rebind.test."


@pytest.fixture
def outside() -> str:
    """Stands for an address of the internet."""
    return own_address()


async def test_each_answer_is_judged_whatever_came_before(config: EgressConfig, outside: str) -> None:
    keeper = Keeper(config.fabric)
    neighbour, beside = await keeper.attach("run")
    inner = ["127.0.0.1", "169.254.169.254", GATEWAY, HOST_LOOPBACK, endpoint_of(neighbour)[0], "10.0.0.1"]
    mixed = [f"{outside} 127.0.0.1", f"169.254.169.254 {outside}"]
    turns = [outside, *(turn for address in [*inner, *mixed] for turn in (address, outside))]
    config.resolv_conf.write_text("nameserver 127.0.0.1\n")
    async with (
        name_server({NAME: turns}) as (server, names_port),
        service("0.0.0.0") as port,
        running(replace(config, names_port=names_port, allow=(f"{outside}/32",))),
    ):
        (await up(keeper, config)).close()
        _, run = await keeper.attach("run")
        lines = await told(run, _ASK, NAME, str(port), str(len(turns)))
        first, *rest = [f"NOERROR {outside} reached" if turn == outside else "REFUSED" for turn in turns]
        assert lines == [first, *rest]
        assert len(server.asked) == len(turns), "nobody remembers an answer for longer than it holds"
        assert set(await said(run, *(f"{address}:{port}" for address in inner))) == {"nothing"}
        run.close()
    beside.close()


async def test_who_remembers_an_address_is_judged_when_he_connects(config: EgressConfig, outside: str) -> None:
    keeper = Keeper(config.fabric)
    config.resolv_conf.write_text("nameserver 127.0.0.1\n")
    async with name_server({NAME: outside}) as (_, names_port), service("0.0.0.0") as port:
        open_ = replace(config, names_port=names_port, allow=(f"{outside}/32",))
        async with running(open_):
            (await up(keeper, config)).close()
            _, run = await keeper.attach("run")
            assert await told(run, _ASK, NAME, str(port), "1") == [f"NOERROR {outside} reached"]
        async with running(replace(open_, allow=())):
            (await up(keeper, config)).close()
            assert await told(run, _ASK, NAME, str(port), "1") == ["REFUSED"]
            async with asyncio.timeout(20):
                while await said(run, f"{outside}:{port}") != ["nothing"]:
                    await asyncio.sleep(0.05)
        run.close()
