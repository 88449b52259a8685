"""The logs of this node's instances: taken over from the spools as they grow, kept as files, followed by readers."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from asyncinotify import Event, Inotify, Mask, Watch

from cluster.node.clock import Stamps
from cluster.node.folder import InstanceFolder, RunState
from cluster.node.log_file import Line, LogFile
from cluster.node.spool import Spool

# So much longer than it works.
_REST = 3
_GLANCE_SECONDS = 0.005
_EVENTS = 100
Listener = Callable[[str, Line], None]
"""Called with the instance's name and a line, as it is written."""


@dataclass
class _Tail:
    log: LogFile
    spools: list[Spool]
    watches: list[Watch]
    dropped: int = 0


class Logs:
    """`run` follows the spools until it is cancelled."""

    def __init__(self, state: Path):
        self.root = state / "logs"
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.stamps = Stamps()
        self._inotify = Inotify()
        self._tails: dict[str, _Tail] = {}
        self._by_watch: dict[Watch, Spool] = {}
        self._grown: dict[Spool, None] = {}
        self._next: asyncio.Future[Event]
        self._listeners: dict[tuple[str, str], list[Listener]] = {}

    def close(self) -> None:
        while self._tails:
            _close(self._tails.popitem()[1])
        self._inotify.close()

    async def run(self) -> None:
        """Each in its turn, and a quarter of a core for all: who floods its log does not take the others' by our
        hands."""
        self._next = asyncio.ensure_future(self._inotify.get())
        try:
            while True:
                if not self._grown:
                    await asyncio.wait({self._next})
                await self._note()
                await self._rest(_REST * await self._turn())
        finally:
            self._next.cancel()

    async def _note(self) -> None:
        """What has grown by now; who writes all the time does not keep us here."""
        for _ in range(_EVENTS):
            if not self._next.done():
                break
            watch = self._next.result().watch
            if watch and (spool := self._by_watch.get(watch)):
                self._grown[spool] = None
            self._next = asyncio.ensure_future(self._inotify.get())
            await asyncio.sleep(0)

    async def _turn(self) -> float:
        """A chunk of each that has grown; the seconds that it took."""
        spent = 0.0
        for spool in list(self._grown):
            begun = time.perf_counter()
            # It may have been forgotten while others had their turn.
            if spool in self._grown and not spool.drain(1):
                del self._grown[spool]
            spent += time.perf_counter() - begun
            await asyncio.sleep(0)
        return spent

    async def _rest(self, seconds: float) -> None:
        """What is written meanwhile takes no more of the disk than at other times. It is not counted as work: the
        longer the rest, the more there is to drop, and the next rest would be the longer for that."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            await asyncio.sleep(min(left, _GLANCE_SECONDS))
            for spool in list(self._grown):
                spool.skip_backlog()

    def path(self, state: RunState) -> Path:
        return self.root / state.namespace / state.project / state.deploy / f"{state.name}.ndjson"

    def open(self, state: RunState, folder: InstanceFolder) -> None:
        """Begin (or go on) to take its output over."""
        if state.uid in self._tails:
            return
        log = LogFile(self.path(state), state.process, self.stamps)
        tail = _Tail(log, [], [])
        for stream, path in folder.spools.items():
            spool = self._spool(log, state, stream, path)
            watch = self._inotify.add_watch(path, Mask.MODIFY)
            self._by_watch[watch] = spool
            tail.spools.append(spool)
            tail.watches.append(watch)
        self._tails[state.uid] = tail
        for spool in tail.spools:
            spool.drain()

    def dropped_of(self, uid: str) -> int:
        """Bytes of its output that nobody will ever read, since this agent began."""
        return self._tails[uid].dropped if uid in self._tails else 0

    def _spool(self, log: LogFile, state: RunState, stream: str, path: Path) -> Spool:
        def take(line: str, position: int) -> None:
            self._tell(state, log.write(stream, line, position))

        def dropped(count: int) -> None:
            if tail := self._tails.get(state.uid):
                tail.dropped += count
            self._tell(state, log.write("system", f"{count} bytes of {stream} were dropped: too much output"))

        return Spool(path, log.positions.get(stream, 0), take, dropped)

    def mask(self, uid: str, secrets: list[str]) -> None:
        if uid in self._tails:
            self._tails[uid].log.mask(secrets)

    def system(self, state: RunState, line: str) -> None:
        """A line of ours, after everything that the instance has said by now."""
        tail = self._tails.get(state.uid)
        if tail is None:
            return
        for spool in tail.spools:
            spool.drain()
        self._tell(state, tail.log.write("system", line))

    def flush(self, uid: str) -> None:
        """Its process has ended: take the rest, also a last line without an end."""
        for spool in self._tails[uid].spools if uid in self._tails else ():
            spool.finish()

    def forget(self, uid: str) -> None:
        """The instance is over; its log stays."""
        tail = self._tails.pop(uid, None)
        if tail is None:
            return
        for spool in tail.spools:
            spool.finish()
            self._grown.pop(spool, None)
        for watch in tail.watches:
            self._by_watch.pop(watch, None)
            with contextlib.suppress(OSError):
                self._inotify.rm_watch(watch)
        _close(tail)

    def subscribe(self, namespace: str, project: str, listener: Listener) -> Callable[[], None]:
        """Hear every line of a project from now on; the answer ends it."""
        listeners = self._listeners.setdefault((namespace, project), [])
        listeners.append(listener)
        return lambda: listeners.remove(listener)

    def _tell(self, state: RunState, line: Line) -> None:
        for listener in list(self._listeners.get((state.namespace, state.project), ())):
            listener(state.name, line)


def _close(tail: _Tail) -> None:
    for spool in tail.spools:
        spool.close()
    tail.log.close()
