"""Who watches what."""

import asyncio
from collections.abc import Sequence

from cluster.apiserver.storage.records import Change
from cluster.apiserver.watching.event import Event

MAX_PENDING = 20_000


class Watcher:
    """Collects the events of one resource (of one namespace, or of all for "")."""

    __slots__ = ("closed", "namespace", "pending", "resource", "wake")

    def __init__(self, resource: str, namespace: str) -> None:
        self.resource = resource
        self.namespace = namespace
        self.pending: list[Event] = []
        self.wake = asyncio.Event()
        self.closed = False

    def offer(self, event: Event) -> None:
        if len(self.pending) >= MAX_PENDING:
            # It does not read: let it come back and resume from the log.
            self.close()
            return
        self.pending.append(event)
        self.wake.set()

    def close(self) -> None:
        self.closed = True
        self.wake.set()

    async def take(self, timeout: float) -> list[Event]:
        """What came since the last call; waits for something up to `timeout` seconds."""
        if not self.pending and not self.closed:
            try:
                async with asyncio.timeout(timeout):
                    await self.wake.wait()
            except TimeoutError:
                return []
        self.wake.clear()
        taken, self.pending = self.pending, []
        return taken


class Hub:
    def __init__(self) -> None:
        self._watchers: dict[str, set[Watcher]] = {}
        self._closed = False

    def subscribe(self, resource: str, namespace: str) -> Watcher:
        watcher = Watcher(resource, namespace)
        if self._closed:
            watcher.close()
        self._watchers.setdefault(resource, set()).add(watcher)
        return watcher

    def unsubscribe(self, watcher: Watcher) -> None:
        self._watchers.get(watcher.resource, set()).discard(watcher)

    def publish(self, changes: Sequence[Change]) -> None:
        for change in changes:
            watchers = self._watchers.get(change.resource)
            if not watchers:
                continue
            event = Event(change)
            namespace = change.record.namespace
            for watcher in watchers:
                if not watcher.namespace or watcher.namespace == namespace:
                    watcher.offer(event)

    def disconnect(self, resource: str) -> None:
        """End the watches of a resource that is served no more, or in another way."""
        for watcher in self._watchers.get(resource, set()):
            watcher.close()

    def close(self) -> None:
        self._closed = True
        for resource in self._watchers:
            self.disconnect(resource)

    def count(self) -> int:
        return sum(len(watchers) for watchers in self._watchers.values())
