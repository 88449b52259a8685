"""Group commit: all that waits while a transaction is brought to the disk goes into the next one."""

import asyncio
import queue
import threading
from collections.abc import Callable

from cluster.apiserver.storage.database import Database
from cluster.apiserver.storage.records import Change

Compaction = tuple[int, int]
Batch = tuple[list[Change], list[Compaction]]


class Writer:
    """Takes changes on the event loop, commits them on its thread, reports back on the event loop in order.

    Rows are inserted on the loop, which is a copy; only the commit waits for the disk and is the thread's.
    """

    def __init__(self, database: Database, committed: Callable[[list[Change]], None]) -> None:
        self._database = database
        self._committed = committed
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Change] = []
        self._compactions: list[Compaction] = []
        self._busy = False
        self._batches: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._idle = asyncio.Event()
        self._idle.set()
        self.failed: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="apiserver-writer", daemon=True)
        self._thread.start()

    def submit(self, change: Change) -> None:
        self._waiting.append(change)
        self._wake()

    def compact(self, low: int, high: int) -> None:
        self._compactions.append((low, high))
        self._wake()

    async def close(self) -> None:
        """Returns once everything submitted is committed, or a commit has failed, and the thread has ended."""
        idle = asyncio.ensure_future(self._idle.wait())
        await asyncio.wait((idle, self.failed), return_when=asyncio.FIRST_COMPLETED)
        idle.cancel()
        self._batches.put(None)
        self._thread.join()

    def _wake(self) -> None:
        if not self._busy:
            self._busy = True
            self._idle.clear()
            # One turn of the loop later, so that requests which arrived together are committed together.
            self._loop.call_soon(self._hand_over)

    def _hand_over(self) -> None:
        if self.failed.done():
            return
        batch, self._waiting = self._waiting, []
        compactions, self._compactions = self._compactions, []
        try:
            self._database.insert(batch)
        except Exception as error:
            self._fail(error)
        else:
            self._batches.put((batch, compactions))

    def _run(self) -> None:
        while (work := self._batches.get()) is not None:
            batch, compactions = work
            try:
                self._database.commit(compactions)
            except Exception as error:
                self._loop.call_soon_threadsafe(self._fail, error)
                return
            self._loop.call_soon_threadsafe(self._done, batch)

    def _fail(self, error: Exception) -> None:
        """What reached the disk is unknown: nothing more may be promised by this process."""
        self.failed.set_exception(error)

    def _done(self, batch: list[Change]) -> None:
        self._committed(batch)
        if self._waiting or self._compactions:
            self._hand_over()
        else:
            self._busy = False
            self._idle.set()
