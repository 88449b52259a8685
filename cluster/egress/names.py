"""The names' forwarder: what an instance asks goes to the machine's own name servers, and is judged on the way back."""

import asyncio
import contextlib
import ipaddress
import logging
import re
import socket
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import dns.message
import dns.rcode

from cluster.egress.answers import Unusable, answer_at_once, judge, read_question, refusal
from cluster.egress.policy import Policy
from cluster.egress.upstream import Ask, ask_by_datagram, ask_by_stream

_log = logging.getLogger(__name__)
_MOST_OF_ONE = 64
_SECONDS = 2.0
_SERVER = re.compile(r"^\s*nameserver\s+(\S+)", re.MULTILINE)


def name_servers(resolv_conf: Path) -> list[str]:
    """The machine's, in order; read for each question, so that a change needs nothing."""
    try:
        found = _SERVER.findall(resolv_conf.read_text())
    except OSError:
        return []
    return [text for text in found if _is_address(text)]


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


class Names(asyncio.DatagramProtocol):
    """Answers datagrams and streams; one that asks too much at once goes unanswered."""

    def __init__(self, resolv_conf: Path, policy: Callable[[], Policy], port: int):
        self._resolv_conf = resolv_conf
        self._policy = policy
        self._port = port
        self._asking: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._transport: asyncio.DatagramTransport | None = None
        self._server: asyncio.Server | None = None

    async def open(self, datagrams: socket.socket, streams: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_datagram_endpoint(lambda: self, sock=datagrams)
        self._server = await asyncio.start_server(self._stream, sock=streams)

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for each in (self._transport, self._server):
            if each is not None:
                each.close()

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        task = asyncio.ensure_future(self._datagram(data, addr))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _datagram(self, data: bytes, source: tuple[str, int]) -> None:
        answer = await self._answer(data, source[0], ask_by_datagram)
        if answer is not None and self._transport is not None:
            self._transport.sendto(answer, source)

    async def _stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One question a connection: who has more asks again."""
        source = str(writer.get_extra_info("peername")[0])
        with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(4 * _SECONDS):
                data = await reader.readexactly(int.from_bytes(await reader.readexactly(2)))
                answer = await self._answer(data, source, ask_by_stream)
                if answer is not None:
                    writer.write(len(answer).to_bytes(2) + answer)
                    await writer.drain()
        writer.close()

    async def _answer(self, data: bytes, source: str, ask: Ask) -> bytes | None:
        if self._asking[source] >= _MOST_OF_ONE:
            return None
        self._asking[source] += 1
        try:
            query = read_question(data)
            return answer_at_once(query) or await self._forwarded(query, data, source, ask)
        except Unusable as error:
            _log.debug("%s: %s", source, error)
            return None
        finally:
            self._asking[source] -= 1
            if not self._asking[source]:
                del self._asking[source]

    async def _forwarded(self, query: dns.message.Message, data: bytes, source: str, ask: Ask) -> bytes:
        for server in name_servers(self._resolv_conf):
            try:
                async with asyncio.timeout(_SECONDS):
                    answer = await ask(server, self._port, data)
                return judge(query, answer, lambda address: self._policy().open(source, address))
            except (OSError, TimeoutError, Unusable, asyncio.IncompleteReadError) as error:
                _log.info("name server %s: %s", server, str(error) or type(error).__name__)
        return refusal(query, dns.rcode.SERVFAIL)
