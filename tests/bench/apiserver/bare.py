"""The floor: the same TLS and the same bytes from a protocol that understands nothing. A GET answers one object or, for
the collection, a ready-made list; what is sent is on the disk (SQLite, one commit for all that came together) before it
is answered.

python -m tests.bench.apiserver.bare PORT CERTIFICATES DATABASE OBJECT LIST"""

import asyncio
import sqlite3
import ssl
import sys
from pathlib import Path
from typing import cast

import uvloop

from tests.bench.apiserver.driver import BASE


class Log:
    """Durable by group commit."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path)
        self._database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE log (body BLOB)")
        self._waiting: list[tuple[bytes, Bare]] = []

    def append(self, body: bytes, who: "Bare") -> None:
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._commit)
        self._waiting.append((body, who))

    def _commit(self) -> None:
        batch, self._waiting = self._waiting, []
        with self._database:
            self._database.executemany("INSERT INTO log VALUES (?)", [(body,) for body, _ in batch])
        for body, who in batch:
            who.answer(body)


class Bare(asyncio.Protocol):
    def __init__(self, log: Log, single: bytes, everything: bytes) -> None:
        self._log, self._single, self._everything = log, single, everything
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, end, rest = self._buffer.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]) if end else 0
        if not end or len(rest) < length:
            return
        self._buffer = rest[length:]
        if not head.startswith(b"GET"):
            self._log.append(rest[:length], self)
        else:
            self.answer(self._everything if head.split(b" ", 2)[1] == BASE.encode() else self._single)

    def answer(self, body: bytes) -> None:
        self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))


async def main(port: int, certificates: Path, database: Path, single: bytes, everything: bytes) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates / "server.crt", certificates / "server.key")
    log = Log(database)
    make = asyncio.get_running_loop().create_server
    server = await make(lambda: Bare(log, single, everything), "127.0.0.1", port, ssl=context)
    await server.serve_forever()


if __name__ == "__main__":
    _, number, certificates, database, single, everything = sys.argv
    bodies = (Path(single).read_bytes(), Path(everything).read_bytes())
    uvloop.run(main(int(number), Path(certificates), Path(database), *bodies))
