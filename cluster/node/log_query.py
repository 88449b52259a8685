"""Reading a project's lines from all its instances on this node, in the order in which they were written."""

import asyncio
import heapq
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from cluster.node.log_file import Line, read_all
from cluster.node.logs import Logs

_MOST_WAITING = 20_000


@dataclass(frozen=True)
class LogQuery:
    """`since` and `after` are times as lines carry them, which also name a line; `limit` takes the newest ones."""

    namespace: str
    project: str
    since: str = ""
    after: str = ""
    limit: int = 1000
    deploy: str = ""
    instance: str = ""
    process: str = ""

    def takes(self, instance: str, line: Line) -> bool:
        return (
            line["at"] > self.after
            and line["at"] >= self.since
            and self.instance in ("", instance)
            and self.process in ("", line["process"])
        )


async def history(logs: Logs, query: LogQuery) -> AsyncIterator[Line]:
    """What is there, oldest first. Files are read in a thread: a project may have many megabytes."""
    for line in await asyncio.to_thread(_newest, logs.root, query):
        yield line


async def follow(logs: Logs, query: LogQuery) -> AsyncIterator[Line]:
    """What is there, then what comes. A reader that is too slow misses lines rather than holding them in memory."""
    waiting: deque[Line] = deque(maxlen=_MOST_WAITING)
    came = asyncio.Event()

    def hear(instance: str, line: Line) -> None:
        if query.takes(instance, line) and (not query.deploy or _of_deploy(logs, query, instance)):
            waiting.append(shown(instance, line))
            came.set()

    unsubscribe = logs.subscribe(query.namespace, query.project, hear)
    last = query.after
    try:
        async for line in history(logs, query):
            last = line["at"]
            yield line
        while True:
            while waiting:
                line = waiting.popleft()
                if line["at"] > last:
                    last = line["at"]
                    yield line
            came.clear()
            await came.wait()
    finally:
        unsubscribe()


def _of_deploy(logs: Logs, query: LogQuery, instance: str) -> bool:
    return (_folder(logs.root, query) / query.deploy / f"{instance}.ndjson").exists()


def _newest(root: Path, query: LogQuery) -> list[Line]:
    streams = [_of_file(path, query) for path in _files(root, query)]
    return list(deque(heapq.merge(*streams, key=lambda line: line["at"]), maxlen=query.limit))


def _of_file(path: Path, query: LogQuery) -> Iterator[Line]:
    instance = path.name.removesuffix(".ndjson")
    return (shown(instance, line) for line in read_all(path) if query.takes(instance, line))


def _files(root: Path, query: LogQuery) -> list[Path]:
    folder = _folder(root, query)
    if not folder.is_dir():
        return []
    files = [
        path for deploy in folder.iterdir() if query.deploy in ("", deploy.name) for path in deploy.glob("*.ndjson")
    ]
    return [path for path in files if query.instance in ("", path.name.removesuffix(".ndjson"))]


def _folder(root: Path, query: LogQuery) -> Path:
    return root / query.namespace / query.project


def shown(instance: str, line: Line) -> Line:
    """As a reader gets it; the cursor names the line on this node."""
    return {
        "at": line["at"],
        "instance": instance,
        "process": line["process"],
        "stream": line["stream"],
        "line": line["line"],
        "cursor": line["at"],
    }
