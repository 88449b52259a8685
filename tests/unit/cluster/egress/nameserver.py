"""A small name server on loopback that speaks the real protocol, by datagram and by stream."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import cast

import dns.flags
import dns.message
import dns.rcode
import dns.rrset


class NameServer(asyncio.DatagramProtocol):
    """Answers A questions from `names`; what is not there is NXDOMAIN. Where a name has several answers (each of one
    address or more, with spaces between), each question gets the next one, for no time at all. `long` is cut off in a
    datagram, and to `silent` there is no answer."""

    def __init__(self, names: Mapping[str, str | Sequence[str]]):
        self._names = {name: [given] if isinstance(given, str) else list(given) for name, given in names.items()}
        self.asked: list[str] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        answer = self._answer(data)
        if "silent" in str(answer.question[0].name):
            return
        if str(answer.question[0].name) == "long.test.":
            answer.answer.clear()
            answer.flags |= dns.flags.TC
        self._transport.sendto(answer.to_wire(), addr)

    async def stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = await reader.readexactly(int.from_bytes(await reader.readexactly(2)))
        wire = self._answer(data).to_wire()
        writer.write(len(wire).to_bytes(2) + wire)
        writer.close()

    def _answer(self, data: bytes) -> dns.message.Message:
        query = dns.message.from_wire(data)
        name = str(query.question[0].name)
        self.asked.append(name)
        answer = dns.message.make_response(query)
        if name in self._names:
            turns = self._names[name]
            given = turns.pop(0) if len(turns) > 1 else turns[0]
            answer.answer.append(dns.rrset.from_text(name, 0, "IN", "A", *given.split()))
        else:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        return answer


@contextlib.asynccontextmanager
async def name_server(
    names: Mapping[str, str | Sequence[str]], host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[tuple[NameServer, int]]:
    """The server, and its port."""
    made = NameServer(names)
    streams = await asyncio.start_server(made.stream, host, port)
    found = int(streams.sockets[0].getsockname()[1])
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: made, local_addr=(host, found), family=socket.AF_INET
    )
    try:
        yield made, found
    finally:
        transport.close()
        streams.close()
