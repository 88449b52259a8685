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
from cluster.egress.rate import Buckets, Rate
from cluster.egress.upstream import Ask, ask_by_datagram, ask_by_stream
from cluster.egress.usage import Questions

_log = logging.getLogger(__name__)
_MOST_OF_ONE = 64
_IN_WORK = 8
"""Of one; what it asks besides waits, so that others wait behind no more than these."""
RATE = Rate(per_second=100, at_once=100)
_LONGEST = 4096
_AT_ONCE = 64
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


class Names:
    """Answers datagrams and streams. One that asks too much goes unanswered: whoever resolves names waits then before
    he asks again, which he would not if he were refused."""

    def __init__(self, resolv_conf: Path, policy: Callable[[], Policy], port: int):
        self._resolv_conf = resolv_conf
        self._policy = policy
        self._port = port
        self._asking: Counter[str] = Counter()
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._buckets = Buckets(RATE)
        self._asked: Counter[str] = Counter()
        self._unanswered: Counter[str] = Counter()
        self._excess: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._datagrams: socket.socket | None = None
        self._server: asyncio.Server | None = None

    async def open(self, datagrams: socket.socket, streams: socket.socket) -> None:
        datagrams.setblocking(False)
        self._datagrams = datagrams
        asyncio.get_running_loop().add_reader(datagrams, self._readable, datagrams)
        self._server = await asyncio.start_server(self._stream, sock=streams)

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._datagrams is not None:
            asyncio.get_running_loop().remove_reader(self._datagrams)
            self._datagrams.close()
            self._datagrams = None
        if self._server is not None:
            self._server.close()

    def questions(self) -> dict[str, Questions]:
        """By address: those since this was last called."""
        asked, unanswered = self._asked, self._unanswered
        self._asked, self._unanswered = Counter(), Counter()
        return {source: Questions(asked[source], unanswered[source]) for source in asked | unanswered}

    def _readable(self, datagrams: socket.socket) -> None:
        """Many at a time, and no task for those that are too much: a flood is emptied faster than it comes."""
        now = asyncio.get_running_loop().time()
        with contextlib.suppress(OSError):
            for _ in range(_AT_ONCE):
                data, source = datagrams.recvfrom(_LONGEST)
                if self._may(source[0], now):
                    task = asyncio.ensure_future(self._datagram(data, source))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)

    def _may(self, source: str, now: float) -> bool:
        self._asked[source] += 1
        if self._buckets.take(source, now):
            return True
        self._unanswered[source] += 1
        self._excess[source] += 1
        if self._excess[source] % 100_000 == 1:
            _log.warning("%s asks for too many names: %d questions are not answered", source, self._excess[source])
        return False

    async def _datagram(self, data: bytes, source: tuple[str, int]) -> None:
        answer = await self._answer(data, source[0], ask_by_datagram)
        if answer is not None and self._datagrams is not None:
            with contextlib.suppress(OSError):
                self._datagrams.sendto(answer, source)

    async def _stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One question a connection: who has more asks again."""
        source = str(writer.get_extra_info("peername")[0])
        if not self._may(source, asyncio.get_running_loop().time()):
            writer.transport.abort()
            return
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
            self._unanswered[source] += 1
            return None
        self._asking[source] += 1
        try:
            async with self._turns.setdefault(source, asyncio.Semaphore(_IN_WORK)):
                query = read_question(data)
                return answer_at_once(query) or await self._forwarded(query, data, source, ask)
        except Unusable as error:
            _log.debug("%s: %s", source, error)
            return None
        finally:
            self._asking[source] -= 1
            if not self._asking[source]:
                del self._asking[source], self._turns[source]

    async def _forwarded(self, query: dns.message.Message, data: bytes, source: str, ask: Ask) -> bytes:
        for server in name_servers(self._resolv_conf):
            try:
                async with asyncio.timeout(_SECONDS):
                    answer = await ask(server, self._port, data)
                return judge(query, answer, lambda address: self._policy().open(source, address))
            except (OSError, TimeoutError, Unusable, asyncio.IncompleteReadError) as error:
                _log.info("name server %s: %s", server, str(error) or type(error).__name__)
        return refusal(query, dns.rcode.SERVFAIL)
