"""The names' forwarder, between a real asker and a real name server on loopback."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import dns.asyncquery
import dns.message
import dns.rcode

from cluster.egress.names import Names, name_servers
from cluster.egress.policy import Policy
from tests.unit.cluster.egress.nameserver import name_server

NAMES = {"public.test.": "1.2.3.4", "inside.test.": "10.0.0.1", "long.test.": "1.2.3.5"}
STRICT = Policy(frozenset(), (), ())


@contextlib.asynccontextmanager
async def forwarder(folder: Path, port: int, servers: str = "127.0.0.1") -> AsyncIterator[int]:
    """Its port."""
    resolv_conf = folder / "resolv.conf"
    resolv_conf.write_text("".join(f"nameserver {server}\n" for server in servers.split()))
    streams = socket.create_server(("127.0.0.1", 0))
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(streams.getsockname())
    made = Names(resolv_conf, lambda: STRICT, port)
    await made.open(datagrams, streams)
    try:
        yield int(streams.getsockname()[1])
    finally:
        made.close()
        await asyncio.sleep(0)


async def by_datagram(name: str, port: int, kind: str = "A") -> dns.message.Message:
    return await dns.asyncquery.udp(dns.message.make_query(name, kind), "127.0.0.1", port=port, timeout=10)


async def test_names_are_asked_and_judged(tmp_path: Path) -> None:
    async with name_server(NAMES) as (server, upstream), forwarder(tmp_path, upstream) as port:
        assert "1.2.3.4" in str(await by_datagram("public.test.", port))
        assert (await by_datagram("inside.test.", port)).rcode() == dns.rcode.REFUSED
        assert (await by_datagram("nobody.test.", port)).rcode() == dns.rcode.NXDOMAIN
        assert not (await by_datagram("public.test.", port, "AAAA")).answer
        assert server.asked == ["public.test.", "inside.test.", "nobody.test."]


async def test_a_long_answer_is_asked_for_again_by_stream(tmp_path: Path) -> None:
    async with name_server(NAMES) as (_, upstream), forwarder(tmp_path, upstream) as port:
        query = dns.message.make_query("long.test.", "A")
        answer, by_stream = await dns.asyncquery.udp_with_fallback(query, "127.0.0.1", port=port, timeout=10)
        assert by_stream
        assert "1.2.3.5" in str(answer)
        query = dns.message.make_query("inside.test.", "A")
        refused = await dns.asyncquery.tcp(query, "127.0.0.1", port=port, timeout=10)
        assert refused.rcode() == dns.rcode.REFUSED


async def test_the_next_name_server_is_asked_when_one_is_dead_and_without_any_it_fails(tmp_path: Path) -> None:
    async with (
        name_server(NAMES, "127.0.0.2") as (_, upstream),
        forwarder(tmp_path, upstream, "127.0.0.1 127.0.0.2") as port,
    ):
        assert "1.2.3.4" in str(await by_datagram("public.test.", port))
        (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.1\n")
        assert (await by_datagram("public.test.", port)).rcode() == dns.rcode.SERVFAIL
        (tmp_path / "resolv.conf").unlink()
        assert (await by_datagram("public.test.", port)).rcode() == dns.rcode.SERVFAIL


def test_name_servers_are_read_as_addresses_only(tmp_path: Path) -> None:
    path = tmp_path / "resolv.conf"
    path.write_text("# nameserver 9.9.9.9\n nameserver 1.1.1.1 # one\nnameserver nonsense\nnameserver ::1\nsearch x\n")
    assert name_servers(path) == ["1.1.1.1", "::1"]
    assert name_servers(tmp_path / "none") == []


async def test_one_that_asks_too_much_at_once_goes_unanswered_and_others_are_answered(tmp_path: Path) -> None:
    async with name_server(NAMES) as (server, upstream), forwarder(tmp_path, upstream, "127.0.0.1") as port:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flooding:
            flooding.bind(("127.0.0.9", 0))
            for number in range(150):
                flooding.sendto(dns.message.make_query(f"n{number}.silent.test.", "A").to_wire(), ("127.0.0.1", port))
        assert "1.2.3.4" in str(await by_datagram("public.test.", port))
        assert len(server.asked) <= 65
