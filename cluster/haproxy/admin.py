"""Talking to HAProxy's sockets."""

import asyncio
import os
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

_SECONDS = 10
_PATIENCE_SECONDS = 2.0
T = TypeVar("T")
_LARGEST = 64 * 1024 * 1024
_PROMPT = b"\n> "


class NoAnswer(Exception):
    """HAProxy's socket does not answer: it is not running, or about to end."""


class Refused(Exception):
    """HAProxy understood and said no; the message is its own."""


class AdminSocket:
    """A unix socket by its name in a folder, however long the folder's path is (such a path has 107 characters)."""

    def __init__(self, folder: Path, name: str):
        self._folder = folder
        self._name = name

    async def ask(self, command: str, *, ends_itself: bool = False) -> str:
        """One command, one answer. `ends_itself`: HAProxy closes (it takes our closing as leaving)."""
        async with asyncio.timeout(_SECONDS):
            reader, writer = await self._connect()
            try:
                writer.write(command.encode() + b"\n")
                if not ends_itself:
                    writer.write_eof()
                return (await reader.read(-1)).decode(errors="replace")
            except OSError as error:
                raise NoAnswer(f"{self._name}: {error}") from error
            finally:
                writer.close()

    async def tell(self, commands: Sequence[str]) -> list[str]:
        """Many commands over one connection, one after the other; an answer for each."""
        async with asyncio.timeout(_SECONDS):
            reader, writer = await self._connect()
            try:
                writer.write(b"prompt\n" + b"".join(command.encode() + b"\n" for command in commands))
                await reader.readuntil(_PROMPT)
                return [(await reader.readuntil(_PROMPT))[: -len(_PROMPT)].decode().strip() for _ in commands]
            except (OSError, asyncio.IncompleteReadError) as error:
                raise NoAnswer(f"{self._name}: {error}") from error
            finally:
                writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            folder = os.open(self._folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise NoAnswer(f"{self._folder}: {error}") from error
        try:
            return await asyncio.open_unix_connection(f"/proc/self/fd/{folder}/{self._name}", limit=_LARGEST)
        except OSError as error:
            raise NoAnswer(f"{self._name}: {error}") from error
        finally:
            os.close(folder)


@dataclass(frozen=True)
class Info:
    """`shape`: what the configuration it runs was made of; `pid`: of the worker, which began to run at `started`
    (seconds of the epoch); `connections`: that it has open."""

    pid: int
    shape: str
    started: int = 0
    connections: int = 0


async def read_info(socket: AdminSocket) -> Info:
    return parse_info(await socket.ask("show info"))


def parse_info(text: str) -> Info:
    """HAProxy's answer to `show info`. Raises NoAnswer when it does not say who it is."""
    pairs = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    try:
        started, connections = int(pairs.get("Start_time_sec", "0")), int(pairs.get("CurrConns", "0"))
        return Info(int(pairs["Pid"]), pairs.get("description", "").strip(), started, connections)
    except (KeyError, ValueError) as error:
        raise NoAnswer("HAProxy does not say who it is.") from error


def read_map(text: str) -> dict[str, str]:
    """HAProxy's answer to `show map`."""
    entries = (line.split() for line in text.splitlines())
    return {entry[1]: entry[2] for entry in entries if len(entry) == 3 and entry[0].startswith("0x")}


def read_list(text: str) -> frozenset[str]:
    """HAProxy's answer to `show acl`."""
    entries = (line.split() for line in text.splitlines())
    return frozenset(entry[1] for entry in entries if len(entry) == 2 and entry[0].startswith("0x"))


async def read_old_workers(master: AdminSocket) -> list[int]:
    """Workers that a reload left to finish what they have."""
    lines = (await master.ask("show proc")).splitlines()
    old = lines[lines.index("# old workers") + 1 :] if "# old workers" in lines else []
    return [int(words[0]) for line in old if (words := line.split())[1:2] == ["worker"]]


async def of_old_worker(master: AdminSocket, worker: int, question: Awaitable[T], gone: T) -> T:
    """Its answer, or `gone` when it has ended: one that ends just then may leave a question without an answer.
    Raises NoAnswer for one that is there and says nothing."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return await question
    except (TimeoutError, NoAnswer) as error:
        if worker in await read_old_workers(master):
            raise NoAnswer(f"HAProxy's worker {worker}, which a reload left behind, does not answer.") from error
        return gone


async def reload(master: AdminSocket) -> None:
    """Returns when the new worker serves, and no old one takes connections any more.

    Raises Refused when the configuration is bad (the old one goes on), NoAnswer when an old one does not say what it
    does."""
    answer = await master.ask("reload", ends_itself=True)
    if not answer.startswith("Success=1"):
        raise Refused(answer.strip()[-2000:] or "no answer")
    async with asyncio.timeout(_SECONDS):
        for worker in await read_old_workers(master):
            while "Stopping: 0" in await of_old_worker(master, worker, master.ask(f"@!{worker} show info"), gone=""):
                await asyncio.sleep(0.005)
