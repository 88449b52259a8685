"""The logs of this node's instances: taken over from the spools as they grow, kept as files, followed by readers."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from asyncinotify import Inotify, Mask, Watch

from cluster.node.clock import Stamps
from cluster.node.folder import InstanceFolder, RunState
from cluster.node.log_file import Line, LogFile
from cluster.node.spool import Spool

Listener = Callable[[str, Line], None]
"""Called with the instance's name and a line, as it is written."""


@dataclass
class _Tail:
    log: LogFile
    spools: list[Spool]
    watches: list[Watch]


class Logs:
    """`run` follows the spools until it is cancelled."""

    def __init__(self, state: Path):
        self.root = state / "logs"
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.stamps = Stamps()
        self._inotify = Inotify()
        self._tails: dict[str, _Tail] = {}
        self._by_watch: dict[Watch, Spool] = {}
        self._listeners: dict[tuple[str, str], list[Listener]] = {}

    def close(self) -> None:
        while self._tails:
            _close(self._tails.popitem()[1])
        self._inotify.close()

    async def run(self) -> None:
        async for event in self._inotify:
            # Looked up again each time: the instance may be forgotten while others have their turn.
            while event.watch and (spool := self._by_watch.get(event.watch)) and spool.drain(1):
                await asyncio.sleep(0)

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

    def _spool(self, log: LogFile, state: RunState, stream: str, path: Path) -> Spool:
        def take(line: str, position: int) -> None:
            self._tell(state, log.write(stream, line, position))

        def dropped(count: int) -> None:
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
